package io.sdp4j.policy;

import java.io.File;
import java.io.IOException;
import java.nio.file.NoSuchFileException;

/**
 * A rule file and its origin: the first of the agent option {@code policy}, the system property
 * {@code sdp4j.policy}, the environment's {@code SDP4J_POLICY} and {@code LIBSDP_CONFIG_FILE}, the
 * JDK's {@code com.sun.sdp.conf} as the agent took it over, {@code /etc/libsdp.conf} if there is
 * one. An empty value counts as not given.
 *
 * @param file as it was named
 * @param namedBy where the name came from, for people
 * @param whenSilent the dialect of a file whose words do not tell
 */
public record RuleFileChoice(String file, String namedBy, RuleFile.Dialect whenSilent) {
    private static final String PROPERTY = PolicySettings.POLICY.id();
    private static final String VARIABLE = "SDP4J_POLICY";
    private static final String LIBSDP_VARIABLE = "LIBSDP_CONFIG_FILE";
    static final String LIBSDP_FILE = "/etc/libsdp.conf";

    /**
     * The file of this JVM; null: there is none.
     *
     * @param explicit the agent option; null or empty: not given
     * @param jdkConf value of {@code com.sun.sdp.conf}; likewise
     */
    static RuleFileChoice of(String explicit, String jdkConf, Environment environment) {
        RuleFile.Dialect usual = RuleFile.Dialect.LIBSDP;
        if (given(explicit)) {
            return new RuleFileChoice(explicit.strip(), "agent option policy", usual);
        }
        String property = environment.property().apply(PROPERTY);
        if (given(property)) {
            return new RuleFileChoice(property.strip(), "system property " + PROPERTY, usual);
        }
        // only now: the JDK reads the environment at its first use
        String variable = environment.variable().apply(VARIABLE);
        if (given(variable)) {
            return new RuleFileChoice(variable.strip(), "environment variable " + VARIABLE, usual);
        }
        String libsdp = environment.variable().apply(LIBSDP_VARIABLE);
        if (given(libsdp)) {
            String namedBy = "environment variable " + LIBSDP_VARIABLE;
            return new RuleFileChoice(libsdp.strip(), namedBy, usual);
        }
        if (given(jdkConf)) {
            String namedBy = "system property com.sun.sdp.conf";
            return new RuleFileChoice(jdkConf.strip(), namedBy, RuleFile.Dialect.JDK);
        }
        try {
            environment.files().stamp(LIBSDP_FILE);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            // It is there and cannot be used: loading it will say why.
        }
        return new RuleFileChoice(LIBSDP_FILE, "its usual place", usual);
    }

    /** The file and where its name came from, for people. */
    String origin() {
        return file + ", named by " + namedBy;
    }

    private static boolean given(String value) {
        return value != null && !value.isBlank();
    }

    /**
     * The name of this program for patterns: main class or jar, without folder, module and
     * arguments.
     *
     * @param setting the value of {@link PolicySettings#PROGRAM}, which goes first when it is not
     *     empty
     */
    public static String programName(String setting, Environment environment) {
        if (given(setting)) {
            return setting.strip();
        }
        String command = environment.property().apply("sun.java.command");
        if (!given(command)) {
            return "java";
        }
        String jar = environment.property().apply("java.class.path");
        // the JVM appends the jars of agents
        String first = given(jar) ? jar.split(File.pathSeparator, 2)[0] : "";
        if (!first.endsWith(".jar") || !(command + " ").startsWith(first + " ")) {
            first = firstWord(command.strip());
        }
        return first.substring(first.lastIndexOf('/') + 1);
    }

    private static String firstWord(String text) {
        int blank = text.indexOf(' ');
        return blank < 0 ? text : text.substring(0, blank);
    }
}
