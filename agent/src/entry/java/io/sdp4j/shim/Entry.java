package io.sdp4j.shim;

import java.lang.instrument.Instrumentation;
import java.util.function.BiConsumer;

/**
 * Where the JVM enters the jar: {@code -javaagent}, a late attach, or {@code java -jar}.
 *
 * <p>Compiled for Java 8 and made of JDK types only, so that a JVM too old for everything else gets
 * one sentence and goes on. Nothing here may throw: an exception from {@code premain} ends the JVM.
 */
public final class Entry {
    private static final int WANTED = 25;

    private Entry() {}

    /** {@code -javaagent:sdp4j-agent.jar[=options]}. */
    public static void premain(String options, Instrumentation instrumentation) {
        enter(false, options, instrumentation);
    }

    /** Attached to a JVM that runs already. */
    public static void agentmain(String options, Instrumentation instrumentation) {
        enter(true, options, instrumentation);
    }

    @SuppressWarnings("unchecked")
    private static void enter(boolean late, String options, Instrumentation instrumentation) {
        try {
            if (feature() < WANTED) {
                System.err.println(tooOld() + "; the application runs on kernel TCP");
                return;
            }
            ((BiConsumer<String, Object[]>)
                            Class.forName("io.sdp4j.shim.Premain")
                                    .asSubclass(BiConsumer.class)
                                    .getConstructor()
                                    .newInstance())
                    .accept(options, new Object[] {instrumentation, late});
        } catch (Throwable t) {
            System.err.println("sdp4j: off, the application runs on kernel TCP: " + t);
        }
    }

    /** {@code java -jar sdp4j-agent.jar}: the command line. */
    public static void main(String[] args) throws Exception {
        if (feature() < WANTED) {
            System.err.println(tooOld());
            System.exit(69);
        }
        Class.forName("io.sdp4j.shim.CommandLine")
                .getMethod("main", String[].class)
                .invoke(null, (Object) args);
    }

    private static String tooOld() {
        return "sdp4j: this is Java "
                + System.getProperty("java.specification.version")
                + ", sdp4j needs "
                + WANTED
                + " or newer";
    }

    private static int feature() {
        String version = System.getProperty("java.specification.version", "0");
        int dot = version.indexOf('.');
        return Integer.parseInt(dot < 0 ? version : version.substring(0, dot));
    }
}
