package io.sdp4j.agent.cli;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Runs a command with the agent on for every JVM that it starts, however it starts it: through
 * {@code JAVA_TOOL_OPTIONS}. ({@code JDK_JAVA_OPTIONS} would miss JVMs that are not started by the
 * {@code java} launcher, and older ones.) The script {@code sdp4j} asks for the variable only and
 * then becomes the command; started by itself, this stays beside the command. Each JVM says on
 * standard error that it picked the variable up; nothing can be done about that line.
 */
@Command(
        name = "run",
        description = "Run a command with the agent on for every JVM that it starts.",
        customSynopsis = "sdp4j run [-h] [KEY=VALUE...] -- COMMAND [ARGUMENT...]",
        footer = {
            "",
            "KEY=VALUE are agent options, for example policy=rules.conf or report=out-%%p.json",
            "(%%p: process id). Each JVM prints the JDK's line \"Picked up JAVA_TOOL_OPTIONS\" on",
            "standard error. The exit code is the command's; 126 or 127 if it cannot be started."
        })
final class RunCommand extends Subcommand {
    private static final String VARIABLE = "JAVA_TOOL_OPTIONS";

    /** A word of it; a quote that is not closed takes the rest, and the JVM will say so. */
    private static final Pattern WORD =
            Pattern.compile("(?:[^\\s'\"]++|'[^']*'|\"[^\"]*\"|['\"].*)++", Pattern.DOTALL);

    @Option(
            names = "--print-variable",
            hidden = true,
            paramLabel = "PRESENT",
            description =
                    "Print how many words come before the command, and the variable's new value in"
                            + " place of this one.")
    private String present;

    @Parameters(
            arity = "0..*",
            paramLabel = "WORD",
            description = "Agent options, then the command.")
    private List<String> words = List.of();

    @Override
    public Integer call() throws InterruptedException {
        Map<String, String> options = new LinkedHashMap<>();
        int at = 0;
        while (at < words.size() && !words.get(at).equals("--")) {
            String word = words.get(at);
            int equals = word.indexOf('=');
            if (equals <= 0) {
                break;
            }
            String key = word.substring(0, equals);
            options.put(key, AgentOptions.absolute(key, word.substring(equals + 1)));
            at++;
        }
        if (at < words.size() && words.get(at).equals("--")) {
            at++;
        }
        if (at == words.size()) {
            throw wrong("no command given");
        }
        if (present != null) {
            PrintWriter out = out();
            out.println(at);
            out.println(toolOptions(Place.agentJar(), options, present));
            return Exit.OK;
        }
        return execute(words.subList(at, words.size()), options);
    }

    private int execute(List<String> command, Map<String, String> options)
            throws InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        Path java = javaOf(command.getFirst());
        if (java == null || canLoadAgents(java)) {
            String before = builder.environment().getOrDefault(VARIABLE, "");
            builder.environment().put(VARIABLE, toolOptions(Place.agentJar(), options, before));
        } else {
            err().println(
                            "sdp4j: "
                                    + java
                                    + " has no module java.instrument, so it runs without sdp4j");
        }
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            err().println("sdp4j: " + e.getMessage());
            return new File(command.getFirst()).exists() ? Exit.CANNOT_EXECUTE : Exit.NOT_FOUND;
        }
        // a signal to us is meant for the command
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(process), "sdp4j-run-stop"));
        return process.waitFor();
    }

    /** The launcher of the JVM that the command most likely starts, as the script looks for it. */
    private static Path javaOf(String command) {
        String home = System.getenv("JAVA_HOME");
        boolean launcher = command.equals("java") || command.endsWith("/java");
        List<String> places = new ArrayList<>();
        if (launcher && command.contains("/")) {
            places.add(command);
        } else if (!launcher && home != null && !home.isEmpty()) {
            places.add(home + "/bin/java");
        } else {
            for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
                places.add(folder + "/java");
            }
        }
        for (String place : places) {
            File file = new File(place);
            if (file.canExecute()) {
                try {
                    return file.getCanonicalFile().toPath();
                } catch (IOException | InvalidPathException e) {
                    return null; // the command will say what is wrong
                }
            }
        }
        return null;
    }

    /** Whether a runtime can load agents: an image may lack that module. */
    static boolean canLoadAgents(Path java) {
        try (Stream<String> lines = Files.lines(java.resolve("../../release").normalize())) {
            return lines.filter(line -> line.startsWith("MODULES="))
                    .allMatch(line -> line.contains("java.instrument"));
        } catch (IOException | UncheckedIOException e) {
            return true; // as far as can be known
        }
    }

    private static void stop(Process process) {
        process.destroy();
        try {
            process.waitFor(); // it may need its time, and our caller can end both
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The variable's new value: our agent first, once, then what was there. */
    static String toolOptions(Path jar, Map<String, String> options, String present) {
        String own = AgentOptions.quoted(AgentOptions.javaAgent(jar, options));
        String agent = "-javaagent:" + jar;
        StringBuilder all = new StringBuilder(own);
        Matcher words = WORD.matcher(present);
        while (words.find()) {
            String word = words.group();
            String read = word.replaceAll("'([^']*)'|\"([^\"]*)\"", "$1$2");
            if (!read.equals(agent) && !read.startsWith(agent + "=")) {
                all.append(' ').append(word);
            }
        }
        return all.toString();
    }
}
