package io.sdp4j.agent.cli;

import java.io.PrintWriter;
import java.nio.charset.Charset;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/**
 * The command line: {@code sdp4j COMMAND}, or {@code java -jar sdp4j-agent.jar COMMAND}.
 *
 * <p>Output is for people unless {@code --json} asks for one JSON value on standard output;
 * problems go to standard error. Exit codes are {@link Exit}'s.
 */
@Command(
        name = "sdp4j",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description =
                "Carries the stream sockets of unmodified Java programs outside kernel TCP where the"
                        + " rules allow it.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            RunCommand.class,
            DoctorCommand.class,
            ExplainCommand.class,
            TraceCommand.class,
            BenchCommand.class,
            HelpCommand.class
        },
        footerHeading = "%nExit codes:%n",
        footer = {
            "  0   done",
            "  1   a check failed: doctor found a fault, bytes differ, nothing was offloaded,",
            "      a rule file is refused, a file is no trace",
            "  2   wrong usage",
            "  69  something needed is missing: a JDK, a jar, a build, a file, room to write one",
            "  70  a fault of sdp4j itself",
            "  run ends with the code of its command; 126 and 127 when that cannot be started.",
            "",
            "Agent options: -javaagent:sdp4j-agent.jar=key=value,key=value; the keys are those of",
            "the system properties sdp4j.KEY, listed in docs/settings.md."
        })
public final class Main implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    private Main() {}

    /** The commands and their options. */
    static CommandLine line() {
        CommandLine line = new CommandLine(new Main());
        line.setExpandAtFiles(false); // a name may begin with @, and so may a word of a command
        // what follows the first word belongs to the command that is run
        line.getSubcommands().get("run").setStopAtPositional(true);
        return line;
    }

    /** Runs one command and returns the exit code. */
    public static int run(String[] args) {
        return run(line(), args);
    }

    static int run(CommandLine line, String[] args) {
        line.setOut(new PrintWriter(new StandardOutput(), true, Charset.defaultCharset()));
        line.setErr(new PrintWriter(System.err, true, Charset.defaultCharset()));
        line.setExecutionExceptionHandler((e, command, parsed) -> failed(e, command.getErr()));
        try {
            int code = line.execute(args);
            line.getOut().flush();
            return code;
        } catch (StandardOutput.ReaderGone | Unavailable e) {
            return failed(e, line.getErr());
        }
    }

    private static int failed(Exception e, PrintWriter err) {
        if (e instanceof StandardOutput.ReaderGone) {
            return Exit.OK;
        }
        if (e instanceof Unavailable) {
            err.println("sdp4j: " + e.getMessage());
            return Exit.UNAVAILABLE;
        }
        e.printStackTrace(err);
        return Exit.FAULT;
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
