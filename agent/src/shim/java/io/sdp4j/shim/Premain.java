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

/**
 * The work that the agent must do at once, when the JVM starts or the agent is loaded into one that
 * runs.
 *
 * <p>It costs a JVM that never opens a socket next to nothing: it takes the JDK's own SDP switch
 * out of the way, sets two socket factories and becomes the selector provider. {@link Boot} does
 * the rest when a socket or channel needs the switch.
 */
public final class Premain implements BiConsumer<String, Object[]> {
    /** The shim's own name for a property of the JDK's own SDP switch. */
    private static final String JDK_SDP = "com.sun.sdp.conf";

    /** Of the JDK's kinds of listeners, the one that accepts into sockets of its own making. */
    private static final String TLS_LISTENER = "sun.security.ssl.SSLServerSocketImpl";

    /**
     * Asks a JVM that has the agent for its report: given by a later load of the agent. The value
     * is a file; or nothing, then a system property has the report.
     */
    private static final String REPORT_NOW = "report.now";

    /** By {@link System#nanoTime}. */
    static final long STARTED_NANOS = System.nanoTime();

    private static boolean taken; // guarded by Premain.class

    /** For {@link Entry}, which is too old to know this class, by name. */
    public Premain() {}

    /**
     * Does what the JVM has called.
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
            Boot.say("the agent was given twice, only the first one counts");
            return;
        }
        taken = true;
        Boot.grants = new Grants(given);
        Map<String, String> parsed = Options.parse(text);
        Boot.options = parsed;
        reportAtExit();
        String missing = KernelImpl.missing();
        if (missing != null) {
            Boot.off("this JDK has no " + missing + ", it is too new for this version");
            return;
        }
        String conf = neutraliseJdkSdp(given);
        if (conf != null) {
            parsed.put(JDK_SDP, conf);
        }
        Boot.options = Map.copyOf(parsed);
        String ownAccept = late ? ownAccept(given) : null;
        if (ownAccept == null && !setFactories(given)) {
            Boot.off("another socket factory is installed already; put this -javaagent first");
            return;
        }
        checkConfiguration(parsed);
        checkProxies();
        if (late) {
            Boot.say(
                    ownAccept == null
                            ? "attached late: sockets made from now on pass the switch, older ones"
                                    + " stay as they are"
                            : "attached late: channels made from now on pass the switch, sockets"
                                    + " do not: listeners of "
                                    + ownAccept
                                    + " could not accept any more");
            if (parsed.isEmpty()) {
                Boot.say(
                        "no options came with it; jcmd drops them unless they are quoted: jcmd PID"
                                + " JVMTI.agent_load sdp4j-agent.jar '\"report=FILE\"'");
            }
        }
        if (Boot.flag("channels.enabled", true)) {
            sayIf(ChannelProvider.install());
        }
        if (Boot.flag("async.enabled", true)) {
            sayIf(AsyncProvider.install());
        }
        new NativeTransports(new LoadedClasses()).start();
    }

    /** Says what is wrong with options and rules now; the first socket may be hours away. */
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
            parsed.put(Boot.TOLD, String.join("\n", lines));
            Boot.options = Map.copyOf(parsed);
        }
    }

    /**
     * The JDK's own SDP switch turns kernel sockets into a family this kernel lacks. It reads its
     * property once, when it is initialised: so that happens here, with the property out of sight.
     *
     * @return the property's value, which is visible again, or null
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

    /** An earlier agent has used sockets, the JDK's switch has its rules: empty them. */
    private static void clearJdkSdpRules() {
        try {
            Boot.layer().type("io.sdp4j.agent.JdkSdp").getMethod("clear").invoke(null);
        } catch (ReflectiveOperationException | RuntimeException e) {
            Boot.say(
                    "the JDK's own SDP switch is on and cannot be cleared ("
                            + Boot.cause(e)
                            + "): remove "
                            + JDK_SDP);
        }
    }

    private static final class LoadedClasses implements Supplier<Class<?>[]> {
        @Override
        public Class<?>[] get() {
            return (Class<?>[]) Boot.grants.ask(Grants.Deed.LOADED_CLASSES);
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
     * The name of a class of listeners that accept into sockets of their own making, as those of
     * TLS do, or may do so: one that is there already cannot accept into a socket of a factory.
     * Null = none is loaded.
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
     * Teaches the JDK's SOCKS client the rules, if they may forbid TCP. They are not loaded for
     * that, because {@code InetAddress} would be, and with it fix what the program may yet set.
     */
    private static void checkProxies() {
        try {
            if (EarlyCheck.forbadeTcpAtStart) {
                Boot.patch(Grants.Deed.PATCH_SOCKS);
            }
        } catch (RuntimeException | LinkageError e) {
            Boot.say("new Socket(proxy) does not obey sdp rules: " + Boot.cause(e));
        }
    }

    /** Whatever becomes of the switch, the report says so; where it cannot be, it is said now. */
    private static void reportAtExit() {
        String report = Boot.options.getOrDefault("report", System.getProperty("sdp4j.report", ""));
        if (report.isEmpty()) {
            return;
        }
        String pid = Long.toString(ProcessHandle.current().pid());
        File file = new File(report.replace("%p", pid)).getAbsoluteFile();
        File folder = file.getParentFile();
        if (folder == null || file.isDirectory()) {
            Boot.say("no report: report=" + report + " is a directory, name a file");
        } else if (!folder.isDirectory()) {
            Boot.say(
                    "no report: report="
                            + report
                            + " is in "
                            + folder
                            + ", which is no directory; make it, or name another");
        } else {
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> Boot.report(report), "sdp4j-report"));
        }
    }

    private static void sayIf(String lineOrNull) {
        if (lineOrNull != null) {
            Boot.say(lineOrNull);
        }
    }
}
