package io.sdp4j.shim;

import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Starts the switch when a socket or channel needs it, and answers the shim's questions before and
 * after the start.
 *
 * <p>The start defines the modules, which are everything but the shim. If it fails, the factories
 * are removed and the application runs on kernel TCP, unless rules forbid TCP to some clients or an
 * early listener needs the factories.
 *
 * <p>States: {@link Premain} sets {@link #grants} and {@link #options}. Then {@link #factories} is
 * set once: to the switch's own pair, or to {@link KernelImpl}'s. {@link #LOCK} guards the start.
 */
final class Boot {
    /** The class in the layer that starts the switch. */
    private static final String AGENT = "io.sdp4j.agent.Agent";

    /** The key under which the switch gets the lines that were printed already. */
    static final String TOLD = "told";

    /** The property that gets the report for the doctor; empty if no report could be made. */
    private static final String REPORT = "io.sdp4j.report";

    /** The verdict that forbids TCP. */
    static final String OFFLOAD_ONLY = "OFFLOAD_ONLY";

    private static final Supplier<Map<String, long[]>> EARLY_COUNTS = new EarlyCounts();

    private static final Object LOCK = new Object();
    private static final Object LAYER_LOCK = new Object();
    private static final Object EARLY_LOCK = new Object();
    private static final Object CHANNELS_LOCK = new Object();

    /** Lines that wait until their thread holds no lock; see {@link #printSaid}. */
    private static final ConcurrentLinkedQueue<String> SAID = new ConcurrentLinkedQueue<>();

    static Grants grants; // set once, when the agent is installed
    static volatile Map<String, String> options = Map.of();

    private static boolean starting; // guarded by LOCK
    private static Layer layer; // guarded by LAYER_LOCK

    private static volatile String offBecause; // null = nothing has switched it off

    /** Whether the switch has started; set before {@link #factories}. */
    private static volatile boolean running;

    /** Client and server factory; null until the switch has started, or could not. */
    private static volatile SocketImplFactory[] factories;

    private static volatile boolean scopeUsed;
    private static volatile boolean staysTold;

    /**
     * Whether there is an early listener, which gets the sockets that it accepts into from a
     * factory.
     */
    private static volatile boolean factoriesNeeded;

    private static SocketImplFactory early; // set before earlyKnown
    private static volatile boolean earlyKnown;

    private static SelectorProvider channels; // the switch's; guarded by CHANNELS_LOCK
    private static volatile EarlyChannels earlyChannels; // set under EARLY_LOCK
    private static boolean earlyChannelsKnown; // guarded by EARLY_LOCK

    /**
     * Whether the switch could not start and rules may forbid TCP; set before {@link #factories}.
     */
    private static volatile boolean refuses;

    private Boot() {}

    private static final class EarlyCounts implements Supplier<Map<String, long[]>> {
        @Override
        public Map<String, long[]> get() {
            return (earlyKnown && early != null) || earlyChannels != null
                    ? EarlySockets.counts()
                    : Map.of();
        }
    }

    /**
     * Not a lambda, here and elsewhere in the code of each start: the first lambda costs
     * milliseconds.
     */
    record Factory(boolean server) implements SocketImplFactory, Function<Object, String> {
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

    /** Whether the rules allow some connections nothing but offload. */
    static boolean mayForbidTcp() {
        return rules() != null && rules().apply(null, null).equals(OFFLOAD_ONLY);
    }

    /**
     * Returns why TCP must not lead to {@code address}, a proxy or a destination behind one; null =
     * it may.
     */
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

    /**
     * Whether a kernel scope is active. {@link KernelScope} is loaded only once it has been used,
     * so that a start does not pay for it.
     */
    private static boolean inKernelScope() {
        return scopeUsed && KernelScope.active();
    }

    /**
     * Whether this is the thread that looks up the hosts of the rules, before the switch has
     * started. A resolver in Java may open sockets there, for which a thread with the locks of the
     * start waits: they are the JDK's own.
     */
    static boolean ofHosts() {
        return factories == null && Thread.currentThread().getName().equals("sdp4j-hosts");
    }

    static void scopeUsed() {
        scopeUsed = true;
    }

    private static SocketImpl create(boolean server) {
        SocketImplFactory[] pair = factories;
        if (pair == null) {
            if (ofHosts()) {
                return jdkSockets()[server ? 1 : 0].createSocketImpl();
            }
            SocketImplFactory maker = inKernelScope() ? null : early();
            // only the switch can tell new Socket(Proxy.NO_PROXY) from new Socket()
            if (maker != null
                    && (server
                            ? !mayForbidTcp() && !EarlySockets.atOnce()
                            : !EarlySockets.proxies())) {
                return server ? earlyListener(maker) : maker.createSocketImpl();
            }
            pair = start();
        }
        if (server && refuses && early != null) {
            return earlyServer(early); // the JDK's own cannot accept into early sockets
        }
        // after a failed start an early listener still cannot accept into the JDK's own
        if (!running && factoriesNeeded && settled()) {
            return server ? earlyServer(early) : early.createSocketImpl();
        }
        return pair[server ? 1 : 0].createSocketImpl();
    }

    private static SocketImpl earlyListener(SocketImplFactory early) {
        factoriesNeeded = true; // set, then look; a failing start sets factories, then looks
        SocketImplFactory[] pair = factories;
        return pair != null ? pair[1].createSocketImpl() : earlyServer(early);
    }

    @SuppressWarnings("unchecked")
    private static SocketImpl earlyServer(SocketImplFactory early) {
        return ((Supplier<SocketImpl>) early).get();
    }

    /** Returns the maker of sockets that do not need the switch yet; null if there is none. */
    private static SocketImplFactory early() {
        if (!earlyKnown) {
            synchronized (EARLY_LOCK) {
                if (!earlyKnown) {
                    early = (SocketImplFactory) earlyMaker(Grants.Deed.EARLY_SOCKETS);
                    earlyKnown = true;
                }
            }
            printSaid();
        }
        return early;
    }

    /** Returns the maker of channels that do not need the switch yet; null if there is none. */
    static EarlyChannels earlyChannels() {
        if (factories != null || inKernelScope()) {
            return null;
        }
        EarlyChannels known = earlyChannels;
        if (known != null) {
            return known;
        }
        synchronized (EARLY_LOCK) {
            if (!earlyChannelsKnown) {
                earlyChannels = (EarlyChannels) earlyMaker(Grants.Deed.EARLY_CHANNELS);
                earlyChannelsKnown = true;
            }
            known = earlyChannels;
        }
        printSaid();
        return known;
    }

    /**
     * Returns an early maker, or null if there is none; then the switch starts at the first socket
     * or channel.
     */
    private static Object earlyMaker(Grants.Deed deed) {
        assert Thread.holdsLock(EARLY_LOCK);
        try {
            boolean possible =
                    EarlySockets.possible()
                            && (deed == Grants.Deed.EARLY_SOCKETS || !mayForbidTcp());
            return possible ? grants.ask(deed) : null;
        } catch (RuntimeException | LinkageError e) {
            return null;
        }
    }

    /**
     * Whether there may be connections that must not use TCP, although the switch could not start.
     */
    private static boolean leavesForbidden() {
        try {
            return mayForbidTcp();
        } catch (RuntimeException | LinkageError e) {
            return EarlyCheck.forbadeTcpAtStart;
        }
    }

    /**
     * Prepares early sockets and channels, which refuse connections that the rules forbid TCP, as
     * the switch could not start.
     */
    private static void prepareRefusals() {
        synchronized (EARLY_LOCK) {
            try {
                if (early == null) {
                    early = (SocketImplFactory) grants.ask(Grants.Deed.EARLY_SOCKETS);
                }
                if (earlyChannels == null) {
                    earlyChannels = (EarlyChannels) grants.ask(Grants.Deed.EARLY_CHANNELS);
                }
                if (earlyChannels == null) {
                    say(
                            "every SocketChannel that connects is refused: channels that obey sdp"
                                    + " rules need JDK 25; use it, or remove those rules");
                }
            } catch (RuntimeException | LinkageError e) {
                say("every client is refused, as the rules cannot be read: " + cause(e));
            }
            earlyKnown = true;
        }
    }

    /**
     * Makes client sockets that refuse connections which rules forbid TCP, except in a kernel
     * scope.
     */
    private record Refusing(SocketImplFactory jdk) implements SocketImplFactory {
        @Override
        public SocketImpl createSocketImpl() {
            if (inKernelScope()) {
                return jdk.createSocketImpl();
            }
            if (early == null) {
                throw new UncheckedIOException(refused());
            }
            return early.createSocketImpl();
        }
    }

    /** Whether new channels must refuse connections that the rules forbid TCP. */
    static boolean refuses() {
        return refuses && !inKernelScope();
    }

    /**
     * Returns the maker of such channels.
     *
     * @throws ConnectException if there is none
     */
    static EarlyChannels refusing() throws ConnectException {
        EarlyChannels known = earlyChannels;
        if (known == null) {
            throw refused();
        }
        return known;
    }

    static ConnectException refused() {
        return new ConnectException(
                "Connection refused (a rule may allow nothing but offload, and the switch could not"
                        + " start)");
    }

    /**
     * Has the switch go on with an early channel, if it has started. Does nothing if it could not
     * start.
     */
    static void goOn(SelectorProvider provider, Object[] channel) {
        if (!running) {
            return;
        }
        try {
            agent("goOn", provider, channel);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            sayStays(channel[0], e);
        }
    }

    /**
     * Says once in this JVM that something stays on TCP; the next one most likely fails in the same
     * way. Another thread prints it, as its lock is held and standard error may lead to it.
     */
    private static void sayStays(Object what, Throwable why) {
        if (!staysTold) {
            staysTold = true;
            sayLater(what + " stays on kernel TCP; others may too: " + cause(why) + " (told once)");
            EarlyStart.add(new Nothing(), true); // its thread prints after each task
        }
    }

    private static final class Nothing implements Runnable {
        @Override
        public void run() {}
    }

    /**
     * Starts the switch, which then goes on with an early socket.
     *
     * @param state the state of the socket; empty = there is no socket
     * @return null if the socket stays as it is
     */
    static SocketImpl goOn(Map<String, Object> state) {
        if (!started() || state.isEmpty()) {
            return null;
        }
        try {
            return (SocketImpl) agent("goOn", state);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            sayStays((state.get("remote") == null ? "a socket" : state.get("remote")), e);
            return null;
        }
    }

    /**
     * Returns the rules as a function that gives verdicts before the switch has started; null if
     * there are no rules. Its result is the name of the verdict for a connection from the address
     * that a socket was bound to, or null, to another address; {@code SWITCH} if the rule does not
     * let the connection begin on the kernel. With null as the second address, the verdict is that
     * for a listener at the first address. With null for both it is {@code OFFLOAD_ONLY} if any
     * connection may have to be offloaded. {@code NO_RULES} stands for a rule file that was
     * refused.
     */
    static BiFunction<InetSocketAddress, InetSocketAddress, String> rules() {
        BiFunction<InetSocketAddress, InetSocketAddress, String> known = Rules.KNOWN;
        printSaid(); // not while the rules are opened: other sockets wait for that
        return known;
    }

    /** Looks up the rules at their first use. */
    private static final class Rules {
        static final BiFunction<InetSocketAddress, InetSocketAddress, String> KNOWN = open();

        private static BiFunction<InetSocketAddress, InetSocketAddress, String> open() {
            Map<String, String> agent = new HashMap<>(options);
            agent.remove(TOLD);
            Printer printer = new Printer();
            BiFunction<InetSocketAddress, InetSocketAddress, String> rules =
                    EarlyCheck.rules(agent, printer);
            printer.opened = true;
            return rules;
        }
    }

    /**
     * Takes lines that were not printed when the JVM started. Lines that are printed while the
     * rules are opened are passed on to the switch, which reads the rules again. Lines about a
     * later file are not.
     */
    private static final class Printer implements Consumer<String> {
        private final String told = options.getOrDefault(TOLD, "");
        private volatile boolean opened;

        @Override
        public void accept(String line) {
            if (flag("quiet", false) || told.contains(line)) {
                return;
            }
            if (!opened) {
                Map<String, String> more = new HashMap<>(options);
                String before = more.get(TOLD);
                more.put(TOLD, before == null ? line : before + "\n" + line);
                options = more; // only this thread does so
            }
            SAID.add(line);
        }
    }

    /** Starts the switch if need be; whether it runs. */
    private static boolean started() {
        if (factories == null) {
            start();
        }
        return running;
    }

    /** Result of the agent's public method with that name and as many parameters. */
    private static Object agent(String method, Object... given)
            throws ReflectiveOperationException {
        for (Method m : layer().type(AGENT).getMethods()) {
            if (m.getName().equals(method) && m.getParameterCount() == given.length) {
                return m.invoke(null, given);
            }
        }
        throw new NoSuchMethodException(method);
    }

    /**
     * The same, once the switch has started.
     *
     * @return null while it starts, on the thread that starts it, and if it could not
     * @throws IllegalStateException with a sentence for people if the method failed
     */
    static Object ofAgent(String method, Object... given) {
        if (!started()) {
            return null;
        }
        try {
            return agent(method, given);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            throw new IllegalStateException(cause(e), e);
        }
    }

    /** Returns the layer of this JVM, which is defined at its first use. */
    static Layer layer() {
        synchronized (LAYER_LOCK) {
            if (layer == null) {
                layer = (Layer) grants.ask(Grants.Deed.LAYER);
            }
            return layer;
        }
    }

    /** Returns what {@code AsynchronousChannelProvider.provider()} gives without a property. */
    static AsynchronousChannelProvider jdkAsynchronousChannels() {
        return (AsynchronousChannelProvider) grants.ask(Grants.Deed.JDK_ASYNCHRONOUS_CHANNELS);
    }

    private static SocketImplFactory[] jdkSockets() {
        return (SocketImplFactory[]) grants.ask(Grants.Deed.JDK_SOCKETS);
    }

    private static SocketImplFactory[] start() {
        SocketImplFactory[] pair = startLocked();
        printSaid();
        return pair;
    }

    private static SocketImplFactory[] startLocked() {
        synchronized (LOCK) {
            if (factories != null) {
                return factories;
            }
            if (starting) {
                return jdkSockets(); // the start itself opens a socket
            }
            starting = true;
            try {
                Object started = agent("start", options, EARLY_COUNTS);
                running = true;
                factories = (SocketImplFactory[]) started;
            } catch (Throwable t) { // after any failure the application must get its socket
                SocketImplFactory[] pair = jdkSockets();
                if (leavesForbidden()) {
                    offBecause = cause(t);
                    say("off; clients that must not use TCP by rule are refused: " + offBecause);
                    prepareRefusals();
                    pair[0] = new Refusing(pair[0]);
                    refuses = true;
                } else {
                    off(cause(t));
                }
                factories = pair;
                if (!factoriesNeeded && !refuses) {
                    grants.ask(Grants.Deed.REMOVE_FACTORIES);
                }
            } finally {
                starting = false;
            }
            EarlyStart.wanted();
            return factories;
        }
    }

    /**
     * Starts the switch if necessary. Returns its one provider, or the JDK's own if that is
     * unavailable.
     */
    static SelectorProvider channels() {
        if (factories == null) {
            start(); // not under the lock: the start itself may open a channel
        }
        SelectorProvider provider;
        synchronized (CHANNELS_LOCK) {
            if (channels == null) {
                try {
                    channels = (SelectorProvider) ofAgent("channels", new Teacher());
                } catch (IllegalStateException e) {
                    say("channels are not offloaded: " + e.getMessage());
                }
            }
            provider =
                    channels != null
                            ? channels
                            : (SelectorProvider) grants.ask(Grants.Deed.JDK_CHANNELS);
        }
        printSaid();
        return provider;
    }

    /** Whether the switch has started, or could not. */
    static boolean settled() {
        return factories != null;
    }

    /** Whether the switch could not start. */
    static boolean failed() {
        return factories != null && !running;
    }

    /** Makes the JDK's file channels know switched channels; run by the switch. */
    private static final class Teacher implements Runnable {
        @Override
        public void run() {
            patch(Grants.Deed.PATCH_FILES);
        }
    }

    /** Changes a class of the JDK, or says what does not work without the change. */
    static void patch(Grants.Deed deed) {
        Object lost = grants.ask(deed);
        if (lost != null) {
            say(lost.toString());
        }
    }

    /** Writes a line to the log of the switch, which is started for it if necessary. */
    static void log(String line) {
        try {
            if (started()) {
                agent("warn", line);
            }
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            say(line);
        }
    }

    static void report(String file) {
        try {
            agent("report", file, EARLY_COUNTS, offBecause);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            say("no report: " + cause(e));
        }
    }

    /**
     * Puts the report into {@value #REPORT}, as another process may not see the files that we see.
     */
    static void tellReport() {
        String text = "";
        try {
            text = (String) agent("reportText", EARLY_COUNTS, offBecause);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            say("no report: " + cause(e));
        }
        System.setProperty(REPORT, text);
    }

    static void off(String why) {
        offBecause = why;
        say("off, the application runs on kernel TCP: " + why);
    }

    /** Prints a line for the operator, unless the agent is told to be quiet. */
    static void say(String line) {
        sayLater(line);
        printSaid();
    }

    /** The same, for a thread that holds a lock which only it knows. */
    static void sayLater(String line) {
        if (!flag("quiet", false)) {
            SAID.add("sdp4j: ".concat(line));
        }
    }

    /**
     * Prints the lines that wait, unless the caller holds a lock of ours: standard error may be the
     * program's, and open a socket to write to.
     */
    static void printSaid() {
        if (SAID.isEmpty()
                || Thread.holdsLock(LOCK)
                || Thread.holdsLock(EARLY_LOCK)
                || Thread.holdsLock(CHANNELS_LOCK)) {
            return;
        }
        try {
            for (String line = SAID.poll(); line != null; line = SAID.poll()) {
                System.err.println(line);
            }
        } catch (RuntimeException | LinkageError e) {
            // the program's stream is broken, which no socket may suffer from
        }
    }

    /** Returns one of the few settings that are read before there are Settings. */
    static boolean flag(String name, boolean byDefault) {
        boolean property = flagOf(System.getProperty("sdp4j.".concat(name)), byDefault);
        return flagOf(options.get(name), property);
    }

    /** The same words as {@code Settings}: any other counts as not given. */
    private static boolean flagOf(String text, boolean otherwise) {
        return switch (text == null ? "none" : text.strip().toLowerCase(Locale.ROOT)) {
            case "", "true", "on", "yes", "1" -> true;
            case "false", "off", "no", "0" -> false;
            default -> otherwise;
        };
    }

    /** Returns the text of a setting as it was given, or null. */
    static String setting(String name) {
        String text = options.get(name);
        return text != null ? text : System.getProperty("sdp4j.".concat(name));
    }

    /** Returns the innermost message of ours, or the text of the exception. */
    static String cause(Throwable t) {
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
