package io.sdp4j.shim;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.zip.ZipFile;

/**
 * Does the work that the agent must do at once, when the JVM starts or the agent is loaded into a
 * running JVM.
 *
 * <p>It costs a JVM that never opens a socket next to nothing: it disables the JDK's own SDP
 * switch, sets two socket factories and becomes the selector provider. {@link Boot} does the rest
 * when a socket or channel needs the switch.
 */
public final class Premain implements BiConsumer<String, Object[]> {
    /**
     * The property of the JDK's own SDP switch; also the key under which the shim passes its value
     * on.
     */
    private static final String JDK_SDP = "com.sun.sdp.conf";

    /** The one kind of listener in the JDK that accepts into sockets of its own making. */
    private static final String TLS_LISTENER = "sun.security.ssl.SSLServerSocketImpl";

    /**
     * The option of a later load of the agent that asks a JVM which has the agent for its report.
     * The value is a file; without one the report goes into a system property.
     */
    private static final String REPORT_NOW = "report.now";

    /** When the agent was loaded, by {@link System#nanoTime}. */
    static final long STARTED_NANOS = System.nanoTime();

    private static boolean taken; // guarded by Premain.class

    /** Called by {@link Entry} through reflection, as that class is compiled for Java 8. */
    public Premain() {}

    /**
     * Does the work of {@code premain} or {@code agentmain}.
     *
     * @param text the options
     * @param given the {@code Instrumentation}, and whether the JVM runs already
     */
    @Override
    public void accept(String text, Object[] given) {
        Instrumentation instrumentation = (Instrumentation) given[0];
        if ((boolean) given[1]) {
            agentmain(text, instrumentation);
        } else {
            install(text, instrumentation, false);
        }
    }

    private static void agentmain(String text, Instrumentation given) {
        String file = Options.parse(text).get(REPORT_NOW);
        if (file == null) {
            install(text, given, true);
        } else {
            reportNow(file);
        }
    }

    /** Gives the report of a switch that was installed before, and does nothing else. */
    private static synchronized void reportNow(String file) {
        if (taken && file.isEmpty()) {
            Boot.tellReport();
        } else if (taken) {
            Boot.report(file);
        }
    }

    private static synchronized void install(String text, Instrumentation given, boolean late) {
        if (taken) {
            Console.say("the agent was given twice, only the first one counts");
            return;
        }
        taken = true;
        ZipFile _ = EarlyCheck.jar(); // opened now: a later one may be of another version
        Grants.given = new Grants(given);
        Map<String, String> parsed = Options.parse(text);
        Options.given = parsed;
        reportAtExit();
        String strange = strangeSystem();
        if (strange != null) {
            Boot.off("sdp4j needs Linux on x86-64 or AArch64, this is " + strange);
            return;
        }
        String missing = KernelImpl.missing();
        if (missing != null) {
            Boot.off("this JDK has no " + missing + ", it is too new for this version");
            return;
        }
        String conf = neutraliseJdkSdp(given);
        if (conf != null) {
            parsed.put(JDK_SDP, conf);
        }
        Options.given = Map.copyOf(parsed);
        String ownAccept = late ? ownAccept(given) : null;
        if (ownAccept == null && !setFactories(given)) {
            Boot.off("another socket factory is installed already; put this -javaagent first");
            return;
        }
        checkConfiguration(parsed);
        checkProxies();
        if (late) {
            Console.say(
                    ownAccept == null
                            ? "attached late: sockets made from now on pass the switch, older ones"
                                    + " stay as they are"
                            : "attached late: channels made from now on pass the switch, sockets"
                                    + " do not: listeners of "
                                    + ownAccept
                                    + " could not accept any more");
            if (parsed.isEmpty()) {
                Console.say(
                        "no options came with it; jcmd drops them unless they are quoted: jcmd PID"
                                + " JVMTI.agent_load sdp4j-agent.jar '\"report=FILE\"'");
            }
        }
        if (Options.flag("channels.enabled", true)) {
            sayIf(ChannelProvider.install());
        }
        if (Options.flag("async.enabled", true)) {
            sayIf(AsyncProvider.install());
        }
        try {
            new NativeTransports(new LoadedClasses()).start();
        } catch (OutOfMemoryError e) {
            // no thread: only the look-out for native transports is missing
        }
    }

    /**
     * Returns this system if it is none for which the switch is made, else null. The JDK there may
     * have all that the shim needs, but lack the needs of early channels.
     */
    private static String strangeSystem() {
        String os = System.getProperty("os.name");
        String processor = System.getProperty("os.arch");
        boolean known =
                "amd64".equals(processor)
                        || "x86_64".equals(processor)
                        || "aarch64".equals(processor);
        return known && "Linux".equals(os) ? null : os + " on " + processor;
    }

    /** Prints now what is wrong with options and rules, as the first socket may be hours away. */
    private static void checkConfiguration(Map<String, String> parsed) {
        String conf = parsed.remove(JDK_SDP);
        List<String> lines = EarlyCheck.lines(parsed, conf);
        if (!lines.isEmpty()) {
            for (String line : lines) {
                System.err.println(line);
            }
            if (conf != null) {
                parsed.put(JDK_SDP, conf);
            }
            parsed.put(EarlyCheck.TOLD, String.join("\n", lines));
            Options.given = Map.copyOf(parsed);
        }
    }

    /**
     * Disables the JDK's own SDP switch, which turns kernel sockets into a family that this kernel
     * lacks. The switch reads its property once, when it is initialised, so this initialises it
     * while the property is removed.
     *
     * @return the property's value, which is set again, or null
     */
    private static String neutraliseJdkSdp(Instrumentation given) {
        String conf = System.getProperty(JDK_SDP);
        boolean initialised = conf != null && loaded(given, "sun.net.NetHooks");
        if (conf != null) {
            System.clearProperty(JDK_SDP);
        }
        try {
            Class.forName("sun.net.NetHooks", true, null);
        } catch (ClassNotFoundException e) {
            // a JDK without that switch
        } finally {
            if (conf != null) {
                System.setProperty(JDK_SDP, conf);
            }
        }
        if (initialised) {
            clearJdkSdpRules();
        }
        return conf;
    }

    /**
     * Empties the rules of the JDK's switch, which has read them because an earlier agent has used
     * sockets.
     */
    private static void clearJdkSdpRules() {
        try {
            Boot.layer().type("io.sdp4j.agent.JdkSdp").getMethod("clear").invoke(null);
        } catch (ReflectiveOperationException | RuntimeException e) {
            Console.say(
                    "the JDK's own SDP switch is on and cannot be cleared ("
                            + Console.cause(e)
                            + "): remove "
                            + JDK_SDP);
        }
    }

    private static final class LoadedClasses implements Supplier<Class<?>[]> {
        @Override
        public Class<?>[] get() {
            return (Class<?>[]) Grants.given.ask(Grants.Deed.LOADED_CLASSES);
        }
    }

    private static boolean loaded(Instrumentation given, String name) {
        for (Class<?> c : given.getAllLoadedClasses()) {
            if (c.getName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the name of a loaded class of listeners that accept, or may accept, into sockets of
     * their own making, as those of TLS do; null if there is none. An existing listener of that
     * kind cannot accept into a factory's socket.
     */
    private static String ownAccept(Instrumentation given) {
        for (Class<?> c : given.getAllLoadedClasses()) {
            String name = c.getName();
            boolean known = c.getClassLoader() == null && !name.equals(TLS_LISTENER);
            if (ServerSocket.class.isAssignableFrom(c) && !known) {
                return name;
            }
        }
        return null;
    }

    /** Sets both factories or none. */
    @SuppressWarnings("deprecation") // not for removal, and the only way in
    private static boolean setFactories(Instrumentation given) {
        try {
            Socket.setSocketImplFactory(new Boot.Factory(false));
        } catch (IOException e) {
            return false;
        }
        try {
            ServerSocket.setSocketFactory(new Boot.Factory(true));
            return true;
        } catch (IOException e) {
            KernelImpl.removeFactory(given, Socket.class);
            return false;
        }
    }

    /**
     * Makes the JDK's SOCKS client obey the rules, if they may forbid TCP. The rules are not loaded
     * for that: it would load {@code InetAddress}, whose start fixes properties that the program
     * may still set.
     */
    private static void checkProxies() {
        try {
            if (EarlyCheck.forbadeTcpAtStart) {
                Boot.patch(Grants.Deed.PATCH_SOCKS);
            }
        } catch (RuntimeException | LinkageError e) {
            Console.say("new Socket(proxy) does not obey sdp rules: " + Console.cause(e));
        }
    }

    /**
     * Arranges for the report at exit, which is written even if the switch does not start. Says now
     * if the report cannot be written.
     */
    private static void reportAtExit() {
        String given = Options.setting("report");
        String report = given == null ? "" : given.strip();
        if (report.isEmpty()) {
            return;
        }
        String pid = Long.toString(ProcessHandle.current().pid());
        File file = new File(report.replace("%p", pid)).getAbsoluteFile();
        File folder = file.getParentFile();
        if (folder == null || file.isDirectory()) {
            Console.say("no report: report=" + report + " is a directory, name a file");
        } else if (!folder.isDirectory()) {
            Console.say(
                    "no report: report="
                            + report
                            + " is in "
                            + folder
                            + ", which is no directory; make it, or name another");
        } else {
            Thread hook =
                    new Thread(
                            NativeTransports.topGroup(), () -> Boot.report(report), "sdp4j-report");
            Runtime.getRuntime().addShutdownHook(hook);
        }
    }

    private static void sayIf(String lineOrNull) {
        if (lineOrNull != null) {
            Console.say(lineOrNull);
        }
    }
}
