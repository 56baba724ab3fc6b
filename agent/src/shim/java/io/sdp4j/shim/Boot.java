package io.sdp4j.shim;

import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.function.Function;

/**
 * Starts the switch when a socket or channel needs it, and answers the shim's questions before and
 * after the start.
 *
 * <p>The start defines the modules, which are everything but the shim. If it fails, the factories
 * are removed and the application runs on kernel TCP, unless rules forbid TCP to some clients or an
 * early listener needs the factories.
 *
 * <p>States: {@link Premain} sets {@link Grants#given} and {@link Options#given}. Then {@link
 * #factories} is set once: to the switch's own pair, or to {@link KernelImpl}'s. {@link #LOCK}
 * guards the start.
 */
final class Boot {
    /** The class in the layer that starts the switch. */
    private static final String AGENT = "io.sdp4j.agent.Agent";

    /** The property that gets the report for the doctor; empty if no report could be made. */
    private static final String REPORT = "io.sdp4j.report";

    static final Object LOCK = new Object();
    private static final Object LAYER_LOCK = new Object();
    static final Object CHANNELS_LOCK = new Object();

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

    private static SelectorProvider channels; // the switch's; guarded by CHANNELS_LOCK

    /**
     * Whether the switch could not start and rules may forbid TCP; set before {@link #factories}.
     */
    private static volatile boolean refuses;

    private Boot() {}

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
            return EarlyCheck.refusal(address);
        }
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
            SocketImplFactory maker = inKernelScope() ? null : EarlyMakers.sockets();
            // only the switch can tell new Socket(Proxy.NO_PROXY) from new Socket()
            if (maker != null
                    && (server
                            ? !EarlyCheck.mayForbidTcp() && !EarlySockets.atOnce()
                            : !EarlySockets.proxies())) {
                return server ? earlyListener(maker) : maker.createSocketImpl();
            }
            pair = start();
        }
        if (server && refuses && EarlyMakers.sockets != null) {
            // the JDK's own cannot accept into early sockets
            return EarlyMakers.listener(EarlyMakers.sockets);
        }
        // after a failed start an early listener still cannot accept into the JDK's own
        if (!running && factoriesNeeded && settled()) {
            SocketImplFactory early = EarlyMakers.sockets;
            return server ? EarlyMakers.listener(early) : early.createSocketImpl();
        }
        return pair[server ? 1 : 0].createSocketImpl();
    }

    private static SocketImpl earlyListener(SocketImplFactory early) {
        factoriesNeeded = true; // set, then look; a failing start sets factories, then looks
        SocketImplFactory[] pair = factories;
        return pair != null ? pair[1].createSocketImpl() : EarlyMakers.listener(early);
    }

    /** Returns the maker of channels that do not need the switch yet; null if there is none. */
    static EarlyChannels earlyChannels() {
        return factories != null || inKernelScope() ? null : EarlyMakers.channels();
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
            if (EarlyMakers.sockets == null) {
                throw new UncheckedIOException(EarlyMakers.refused());
            }
            return EarlyMakers.sockets.createSocketImpl();
        }
    }

    /** Whether new channels must refuse connections that the rules forbid TCP. */
    static boolean refuses() {
        return refuses && !inKernelScope();
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
            Console.sayLater(
                    what
                            + " stays on kernel TCP; others may too: "
                            + Console.cause(why)
                            + " (told once)");
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
            throw new IllegalStateException(Console.cause(e), e);
        }
    }

    /** Returns the layer of this JVM, which is defined at its first use. */
    static Layer layer() {
        synchronized (LAYER_LOCK) {
            if (layer == null) {
                layer = (Layer) Grants.given.ask(Grants.Deed.LAYER);
            }
            return layer;
        }
    }

    private static SocketImplFactory[] jdkSockets() {
        return (SocketImplFactory[]) Grants.given.ask(Grants.Deed.JDK_SOCKETS);
    }

    private static SocketImplFactory[] start() {
        SocketImplFactory[] pair = startLocked();
        Console.printSaid();
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
                Object started =
                        agent("start", Options.given, EarlyMakers.COUNTS, EarlyCheck.opened);
                running = true;
                factories = (SocketImplFactory[]) started;
            } catch (Throwable t) { // after any failure the application must get its socket
                SocketImplFactory[] pair = jdkSockets();
                if (EarlyCheck.leavesForbidden()) {
                    offBecause = Console.cause(t);
                    Console.say(
                            "off; clients that must not use TCP by rule are refused: "
                                    + offBecause);
                    EarlyMakers.prepareRefusals();
                    pair[0] = new Refusing(pair[0]);
                    refuses = true;
                } else {
                    off(Console.cause(t));
                }
                factories = pair;
                if (!factoriesNeeded && !refuses) {
                    Grants.given.ask(Grants.Deed.REMOVE_FACTORIES);
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
                    Console.say("channels are not offloaded: " + e.getMessage());
                }
            }
            provider =
                    channels != null
                            ? channels
                            : (SelectorProvider) Grants.given.ask(Grants.Deed.JDK_CHANNELS);
        }
        Console.printSaid();
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
        Object lost = Grants.given.ask(deed);
        if (lost != null) {
            Console.say(lost.toString());
        }
    }

    /** Writes a line to the log of the switch, which is started for it if necessary. */
    static void log(String line) {
        try {
            if (started()) {
                agent("warn", line);
            }
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            Console.say(line);
        }
    }

    static void report(String file) {
        try {
            agent("report", file, EarlyMakers.COUNTS, offBecause);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            Console.say("no report: " + Console.cause(e));
        }
    }

    /**
     * Puts the report into {@value #REPORT}, as another process may not see the files that we see.
     */
    static void tellReport() {
        String text = "";
        try {
            text = (String) agent("reportText", EarlyMakers.COUNTS, offBecause);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            Console.say("no report: " + Console.cause(e));
        }
        System.setProperty(REPORT, text);
    }

    static void off(String why) {
        offBecause = why;
        Console.say("off, the application runs on kernel TCP: " + why);
    }
}
