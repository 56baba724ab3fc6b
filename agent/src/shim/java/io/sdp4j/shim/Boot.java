package io.sdp4j.shim;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The agent's life in the unnamed module: the work that {@code premain} must do at once, and the
 * switch's start at the first socket.
 *
 * <p>{@code premain} costs a JVM that never opens a socket next to nothing: it takes the JDK's own
 * SDP switch out of the way, sets two socket factories and becomes the selector provider. The
 * module layer with everything else is defined when one of them is asked for the first time; when
 * that fails, the factories are taken out again and the application runs on kernel TCP.
 *
 * <p>States: untouched, {@link #taken}, then {@link #factories} is set once: to the switch's own
 * pair, or to {@link KernelImpl}'s. {@link #LOCK} guards the start.
 */
public final class Boot {
    /** The shim's own name for a property of the JDK's own SDP switch. */
    private static final String JDK_SDP = "com.sun.sdp.conf";

    /** The class in the layer that starts the switch. */
    private static final String AGENT = "io.sdp4j.agent.Agent";

    /** The key under which the switch is given the lines that were printed already. */
    private static final String TOLD = "told";

    /** Asks a JVM that has the agent for its report: given by a later load of the agent. */
    private static final String REPORT_NOW = "report.now";

    /** The verdict that forbids TCP. */
    static final String OFFLOAD_ONLY = "OFFLOAD_ONLY";

    private static final Supplier<Map<String, Long>> EARLY_COUNTS = new EarlyCounts();

    private static final Object LOCK = new Object();
    private static final Object LAYER_LOCK = new Object();
    private static final Object EARLY_LOCK = new Object();

    private static boolean taken; // guarded by Boot.class

    private static Grants grants;
    private static Map<String, String> options = Map.of();

    private static boolean starting; // guarded by LOCK
    private static Layer layer; // guarded by LAYER_LOCK

    /** Whether the switch has started; set before {@link #factories}. */
    private static volatile boolean running;

    /** Client and server factory; null until the switch has started. */
    private static volatile SocketImplFactory[] factories;

    private static volatile boolean scopeUsed;

    private static SocketImplFactory early; // set before earlyKnown
    private static volatile boolean earlyKnown;

    private Boot() {}

    /** For {@link Entry}, which is too old to know this class: an interface and no reflection. */
    public static final class Start implements BiConsumer<String, Object[]> {
        /** By name. */
        public Start() {}

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
    }

    private static final class EarlyCounts implements Supplier<Map<String, Long>> {
        @Override
        public Map<String, Long> get() {
            return earlyKnown && early != null ? EarlySockets.connected() : Map.of();
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

    /** Writes the report of a switch that was installed before, and does nothing else. */
    private static synchronized void reportNow(String file) {
        if (taken) {
            report(file);
        }
    }

    private static synchronized void install(String text, Instrumentation given, boolean late) {
        if (taken) {
            say("the agent was given twice, only the first one counts");
            return;
        }
        taken = true;
        grants = new Grants(given);
        Map<String, String> parsed = Options.parse(text);
        options = parsed;
        reportAtExit();
        String missing = KernelImpl.missing();
        if (missing != null) {
            off("this JDK has no " + missing + ", it is too new for this version");
            return;
        }
        String conf = neutraliseJdkSdp(given);
        if (conf != null) {
            parsed.put(JDK_SDP, conf);
        }
        options = Map.copyOf(parsed);
        if (!setFactories(given)) {
            off("another socket factory is installed already; put this -javaagent first");
            return;
        }
        checkConfiguration(parsed);
        checkProxies();
        if (late) {
            say(
                    "attached late: sockets made from now on pass the switch, older ones stay as"
                            + " they are");
            if (parsed.isEmpty()) {
                say(
                        "no options came with it; jcmd drops them unless they are quoted: jcmd PID"
                                + " JVMTI.agent_load sdp4j-agent.jar '\"report=FILE\"'");
            }
        }
        if (flag("channels.enabled", true)) {
            sayIf(ChannelProvider.install());
        }
        if (flag("async.enabled", true)) {
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
            parsed.put(TOLD, String.join("\n", lines));
            options = Map.copyOf(parsed);
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
            layer().type("io.sdp4j.agent.JdkSdp").getMethod("clear").invoke(null);
        } catch (ReflectiveOperationException | RuntimeException e) {
            say(
                    "the JDK's own SDP switch is on and cannot be cleared ("
                            + cause(e)
                            + "): remove "
                            + JDK_SDP);
        }
    }

    private static final class LoadedClasses implements Supplier<Class<?>[]> {
        @Override
        public Class<?>[] get() {
            return (Class<?>[]) grants.ask(Grants.Deed.LOADED_CLASSES);
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

    /** Sets both factories or none. */
    @SuppressWarnings("deprecation") // not for removal, and the only way in
    private static boolean setFactories(Instrumentation given) {
        try {
            Socket.setSocketImplFactory(new Factory(false));
        } catch (IOException e) {
            return false;
        }
        try {
            ServerSocket.setSocketFactory(new Factory(true));
            return true;
        } catch (IOException e) {
            KernelImpl.removeFactory(given, Socket.class);
            return false;
        }
    }

    /** No lambda, here and elsewhere on the way of each start: the first one costs milliseconds. */
    private record Factory(boolean server) implements SocketImplFactory, Function<Object, String> {
        @Override
        public SocketImpl createSocketImpl() {
            return create(server);
        }

        /** For {@link SocksPatch}. */
        @Override
        public String apply(Object address) {
            return refusal(address);
        }
    }

    /**
     * Teaches the JDK's SOCKS client the rules, if they may forbid TCP. They are not loaded for
     * that, because {@code InetAddress} would be, and with it fix what the program may yet set.
     */
    private static void checkProxies() {
        try {
            if (EarlyCheck.mayForbidTcp && !(boolean) grants.ask(Grants.Deed.PATCH_SOCKS)) {
                say(
                        "new Socket(proxy) does not obey sdp rules: this JDK does not let its SOCKS"
                                + " client be told");
            }
        } catch (RuntimeException | LinkageError e) {
            say("new Socket(proxy) does not obey sdp rules: " + cause(e));
        }
    }

    /** Whether the rules allow some connection nothing but offload. */
    static boolean mayForbidTcp() {
        return rules() != null && rules().apply(null, null).equals(OFFLOAD_ONLY);
    }

    /** Why TCP must not lead to a proxy, or one to a destination; null = it may. */
    private static String refusal(Object address) {
        if (address instanceof InetSocketAddress to
                && mayForbidTcp()
                && rules().apply(null, to).equals(OFFLOAD_ONLY)) {
            return "Connection refused ("
                    + to
                    + " would be reached by TCP, because of a SOCKS proxy; a rule allows nothing"
                    + " but offload there)";
        }
        return null;
    }

    /** Not asked before it is used: that would load what starts need not pay for. */
    private static boolean inKernelScope() {
        return scopeUsed && KernelScope.active();
    }

    static void scopeUsed() {
        scopeUsed = true;
    }

    private static SocketImpl create(boolean server) {
        SocketImplFactory[] pair = factories;
        if (pair == null) {
            SocketImplFactory early = server || inKernelScope() ? null : early();
            if (early != null) {
                return early.createSocketImpl();
            }
            pair = start();
        }
        return pair[server ? 1 : 0].createSocketImpl();
    }

    /** The maker of client sockets that do not need the switch yet; null if there is none. */
    private static SocketImplFactory early() {
        if (!earlyKnown) {
            synchronized (EARLY_LOCK) {
                if (!earlyKnown) {
                    if (EarlySockets.possible()) {
                        early = (SocketImplFactory) grants.ask(Grants.Deed.EARLY_SOCKETS);
                    }
                    earlyKnown = true;
                }
            }
        }
        return early;
    }

    /**
     * Starts the switch, which then goes on with an early socket.
     *
     * @param state of the socket; empty = none
     * @return null if the socket stays as it is
     */
    static SocketImpl goOn(Map<String, Object> state) {
        if (factories == null) {
            start();
        }
        if (!running || state.isEmpty()) {
            return null;
        }
        try {
            return (SocketImpl)
                    layer().type(AGENT).getMethod("goOn", Map.class).invoke(null, state);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            say("a connection stays on kernel TCP: " + cause(e));
            return null;
        }
    }

    /**
     * The rules' verdict before the switch has started: the name of the verdict for a connection
     * from the address that a socket was bound to, or null, to another. For null and null it is
     * {@code OFFLOAD_ONLY} if any connection may have to be offloaded. Null = there is no rule
     * file.
     */
    static BiFunction<InetSocketAddress, InetSocketAddress, String> rules() {
        return Rules.KNOWN;
    }

    /** Looked up at their first use. */
    private static final class Rules {
        static final BiFunction<InetSocketAddress, InetSocketAddress, String> KNOWN = open();

        private static BiFunction<InetSocketAddress, InetSocketAddress, String> open() {
            Map<String, String> agent = new HashMap<>(options);
            String told = agent.remove(TOLD);
            return EarlyCheck.rules(agent, new Printer(told == null ? "" : told));
        }
    }

    /** Prints what was not printed when the JVM started. */
    private record Printer(String told) implements Consumer<String> {
        @Override
        public void accept(String line) {
            if (!flag("quiet", false) && !told.contains(line)) {
                System.err.println(line);
            }
        }
    }

    /**
     * Result of a static method of the agent's main class, once the switch has started.
     *
     * @return null while it starts, on the thread that starts it, and if it could not
     * @throws IllegalStateException with a sentence for people if the method failed
     */
    static Object ofAgent(String method) {
        if (factories == null) {
            start();
        }
        if (!running) {
            return null;
        }
        try {
            return layer().type(AGENT).getMethod(method).invoke(null);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            throw new IllegalStateException(cause(e), e);
        }
    }

    /** The layer of this JVM, defined at its first use. */
    private static Layer layer() {
        synchronized (LAYER_LOCK) {
            if (layer == null) {
                layer = (Layer) grants.ask(Grants.Deed.LAYER);
            }
            return layer;
        }
    }

    /** Result of {@code AsynchronousChannelProvider.provider()} without a property. */
    static AsynchronousChannelProvider jdkAsynchronousChannels() {
        return (AsynchronousChannelProvider) grants.ask(Grants.Deed.JDK_ASYNCHRONOUS_CHANNELS);
    }

    private static SocketImplFactory[] jdkSockets() {
        return (SocketImplFactory[]) grants.ask(Grants.Deed.JDK_SOCKETS);
    }

    private static SocketImplFactory[] start() {
        synchronized (LOCK) {
            if (factories != null) {
                return factories;
            }
            if (starting) {
                return jdkSockets(); // the start itself opens a socket
            }
            starting = true;
            try {
                Object started =
                        layer().type(AGENT)
                                .getMethod("start", Map.class, Supplier.class)
                                .invoke(null, options, EARLY_COUNTS);
                running = true;
                factories = (SocketImplFactory[]) started;
            } catch (Throwable t) { // whatever it is, the application must get its socket
                off(cause(t));
                grants.ask(Grants.Deed.REMOVE_FACTORIES);
                factories = jdkSockets();
            } finally {
                starting = false;
            }
            return factories;
        }
    }

    /** Starts the switch if need be; its provider, or the JDK's own where it cannot be had. */
    static SelectorProvider channels() {
        Object found = null;
        try {
            found = ofAgent("channels");
        } catch (IllegalStateException e) {
            say("channels are not offloaded: " + e.getMessage());
        }
        return (SelectorProvider) (found != null ? found : grants.ask(Grants.Deed.JDK_CHANNELS));
    }

    /** Other classes of the JDK that have to know switched channels. */
    static void teach() {
        if (!running) {
            return;
        }
        if (!(boolean) grants.ask(Grants.Deed.PATCH_STREAMS)) {
            say(
                    "Channels.newInputStream and newOutputStream of one offloaded channel wait for"
                            + " each other: this JDK does not let them be told apart");
        }
        if (!(boolean) grants.ask(Grants.Deed.PATCH_FILES)) {
            say(
                    "FileChannel.transferTo copies where a channel fell back to TCP: this JDK does"
                            + " not let it be told that the kernel could send the file");
        }
    }

    /** A line for the log of the switch, which starts for it if need be. */
    static void log(String line) {
        try {
            if (factories == null) {
                start();
            }
            if (running) {
                layer().type(AGENT).getMethod("warn", String.class).invoke(null, line);
            }
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            say(line);
        }
    }

    /** Whatever becomes of the switch, the report says so; where it cannot be, it is said now. */
    private static void reportAtExit() {
        String report = options.getOrDefault("report", System.getProperty("sdp4j.report", ""));
        if (report.isEmpty()) {
            return;
        }
        String pid = Long.toString(ProcessHandle.current().pid());
        File file = new File(report.replace("%p", pid)).getAbsoluteFile();
        File folder = file.getParentFile();
        if (folder == null || file.isDirectory()) {
            say("no report: report=" + report + " is a directory, name a file");
        } else if (!folder.isDirectory()) {
            say(
                    "no report: report="
                            + report
                            + " is in "
                            + folder
                            + ", which is no directory; make it, or name another");
        } else {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> report(report), "sdp4j-report"));
        }
    }

    private static void report(String file) {
        try {
            layer().type(AGENT)
                    .getMethod("report", String.class, Supplier.class)
                    .invoke(null, file, EARLY_COUNTS);
        } catch (ReflectiveOperationException | RuntimeException e) {
            say("no report: " + cause(e));
        }
    }

    private static void sayIf(String lineOrNull) {
        if (lineOrNull != null) {
            say(lineOrNull);
        }
    }

    private static void off(String why) {
        say("off, the application runs on kernel TCP: " + why);
    }

    /** The operator's line, unless told to be quiet. */
    static void say(String line) {
        if (!flag("quiet", false)) {
            System.err.println("sdp4j: " + line);
        }
    }

    /** One of the few settings that count before there are Settings. */
    private static boolean flag(String name, boolean byDefault) {
        String text = setting(name);
        return text == null
                ? byDefault
                : !text.equalsIgnoreCase("false") && !text.equals("0") && !text.equals("off");
    }

    /** A setting as it was given, or null. */
    static String setting(String name) {
        String id = "sdp4j.".concat(name);
        String text = options.getOrDefault(id, options.get(name));
        return text != null ? text : System.getProperty(id);
    }

    /** The innermost message of ours, or the class of what went wrong. */
    private static String cause(Throwable t) {
        Throwable c = t;
        while ((c instanceof InvocationTargetException || c instanceof ExceptionInInitializerError)
                && c.getCause() != null) {
            c = c.getCause();
        }
        return c instanceof IllegalStateException || c instanceof IllegalArgumentException
                ? c.getMessage()
                : c.toString();
    }
}
