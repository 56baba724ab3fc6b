package io.sdp4j.testing;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command line of a JVM that a test starts: the JDK of the test, and nothing from the
 * environment that would add options or rules to it.
 */
public final class JvmCommand {
    private static final Set<String> UNWANTED =
            Set.of(
                    "JAVA_TOOL_OPTIONS",
                    "JDK_JAVA_OPTIONS",
                    "_JAVA_OPTIONS",
                    "SDP4J_POLICY",
                    "LIBSDP_CONFIG_FILE");

    private final List<String> before = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final String main;
    private String classPath = testClassPath();

    private JvmCommand(String main, String... arguments) {
        this.main = main;
        this.arguments.addAll(List.of(arguments));
    }

    /** Runs {@code main}, with the class path of this JVM's tests. */
    public static JvmCommand of(Class<?> main, String... arguments) {
        return new JvmCommand(main.getName(), arguments);
    }

    /** Runs a class that is only known by its name. */
    public static JvmCommand of(String main, String... arguments) {
        return new JvmCommand(main, arguments);
    }

    /** A program that starts it: {@code taskset}, {@code setpriv}, {@code sh -c}. */
    public JvmCommand under(List<String> command) {
        before.addAll(command);
        return this;
    }

    public JvmCommand options(String... more) {
        options.addAll(List.of(more));
        return this;
    }

    /** Options for a program that is to start soon and to take little. */
    public JvmCommand small() {
        return options("-XX:+UseSerialGC", "-Xmx64m", "-XX:TieredStopAtLevel=1");
    }

    public JvmCommand classPath(String other) {
        classPath = other;
        return this;
    }

    public ProcessBuilder builder() {
        List<String> command = new ArrayList<>(before);
        command.add(java().toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(arguments);
        return clean(new ProcessBuilder(command));
    }

    /** Keeps the environment from changing what a JVM does. */
    public static ProcessBuilder clean(ProcessBuilder builder) {
        builder.environment().keySet().removeAll(UNWANTED);
        return builder;
    }

    /** The JDK that runs this test. */
    public static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /**
     * Class path of the tested code and the tests, also where Surefire has put them into a jar's
     * manifest.
     */
    public static String testClassPath() {
        return System.getProperty(
                "surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** A class path of the jars and folders that these classes were read from. */
    public static String placesOf(Class<?>... types) {
        return Stream.of(types).map(JvmCommand::place).distinct().collect(Collectors.joining(":"));
    }

    private static String place(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                    .toString();
        } catch (URISyntaxException impossible) {
            throw new AssertionError(impossible); // a code source is where a class was read from
        }
    }
}
