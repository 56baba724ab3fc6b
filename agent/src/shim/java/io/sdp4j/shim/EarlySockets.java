package io.sdp4j.shim;

import java.lang.instrument.Instrumentation;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProxySelector;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntBiFunction;

/**
 * Makes sockets before the switch has started, and says where a connection is to be made. A
 * connection that does not need the switch does not start it, because the start costs a program
 * more than a short connection gains. One per JVM; thread-safe.
 */
final class EarlySockets
        implements ToIntBiFunction<InetSocketAddress, InetSocketAddress>,
                Function<Map<String, Object>, SocketImpl> {
    // Places where a connection is made, and kinds of connections that a listener accepts. The
    // classes in the JDK's packages know SWITCH, MAY_MOVE, SWITCH_ONLY, ACCEPTS,
    // ACCEPTS_UNCOUNTED, 9 and MOVES.
    private static final int SWITCH = 0;
    private static final int MAY_MOVE = 1;
    private static final int STAYS = 2;
    private static final int NOT_LOCAL = 3;
    private static final int RULE_TCP = 4;
    private static final int RULE_DIRECT = 5;
    private static final int SWITCH_ONLY = 6;
    private static final int ACCEPTS = 7; // connections that may move
    private static final int ACCEPTS_UNCOUNTED = 8; // the same, not counted before the switch

    // 9: a connection that might have moved and has turned out not to be worth it
    private static final int OFF = 10; // the switch could not start
    private static final int NO_RULES = 11;
    private static final int MOVES = 12; // may move, and the switch starts at once

    private static final long YOUNG_NANOS = 5_000_000_000L;

    /** How long the list of this host's addresses is kept, as in the switch. */
    private static final long OWN_NANOS = 5_000_000_000L;

    /** The switch's names of the reasons, one for each place. */
    private static final String[] REASONS = {
        "TIMED_OUT",
        "YOUNG",
        "NOT_WORTH",
        "NOT_LOCAL",
        "RULE_TCP",
        "RULE_DIRECT",
        "SWITCH_OFF",
        "ACCEPTED_TCP",
        "ACCEPTED_TCP",
        "NOT_WORTH",
        "SWITCH_OFF",
        "NO_RULES",
        "YOUNG"
    };

    /** Connections made on the kernel, by place. */
    static final AtomicLongArray CONNECTED = new AtomicLongArray(REASONS.length);

    /** Connections accepted from the kernel, by place. */
    static final AtomicLongArray ACCEPTED = new AtomicLongArray(REASONS.length);

    /** Settings that decide where a connection begins, and their defaults. */
    private static final Map<String, String> DECISIVE =
            Map.of(
                    "policy.required", "false",
                    "plugins", "",
                    "shm.enabled", "true",
                    "verbs.enabled", "false");

    /** This host's addresses. */
    private static volatile Set<InetAddress> own = Set.of(); // set before ownNanos

    private static volatile long ownNanos; // when own was read; 0 = not yet

    /** See {@link EarlyCheck#rules}. */
    private final BiFunction<InetSocketAddress, InetSocketAddress, String> rules;

    private final boolean channels;
    private final boolean atOnce = atOnce();
    private final boolean oneProcessor = Runtime.getRuntime().availableProcessors() == 1;

    /**
     * @param channels whether the connections are those of channels, not of sockets
     */
    EarlySockets(BiFunction<InetSocketAddress, InetSocketAddress, String> rules, boolean channels) {
        this.rules = rules;
        this.channels = channels;
    }

    /**
     * Returns the maker of early sockets.
     *
     * @throws IllegalStateException if this JDK does not take the classes, or the rules are not
     *     available; or a {@code LinkageError}
     */
    @SuppressWarnings("unchecked")
    static SocketImplFactory factory(Instrumentation instrumentation) {
        EarlySockets sockets = new EarlySockets(EarlyCheck.rules(), false);
        Object maker =
                JdkDefiner.define(
                        instrumentation,
                        JdkDefiner.FOLDER,
                        "java.net.Socket",
                        "EarlyImpl EarlySocketInput EarlySocketOutput"
                                + " EarlySocketImpl$Start EarlySocketImpl EarlyServerImpl$GoOn"
                                + " EarlyServerImpl EarlySocketMaker");
        ((Consumer<Object[]>) maker).accept(new Object[] {sockets, sockets, CONNECTED, ACCEPTED});
        return (SocketImplFactory) maker;
    }

    /**
     * Whether connections need not carry what the shim asks of them: the switch starts as soon as
     * there is one, beside the program. It also starts before a listener is made, because a peer
     * with the same setting asks that listener at once.
     */
    static boolean atOnce() {
        String upgrade = Options.setting("upgrade");
        return upgrade != null && !upgrade.strip().equalsIgnoreCase("auto");
    }

    /** Whether the settings leave every connection on the kernel at first. */
    static boolean possible() {
        for (Map.Entry<String, String> usual : DECISIVE.entrySet()) {
            String set = Options.setting(usual.getKey());
            if (set != null && !set.equalsIgnoreCase(usual.getValue())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the counts of connections on the kernel, by reason: how many were made, and how many
     * accepted. The switch adds them to its own.
     */
    static Map<String, long[]> counts() {
        Map<String, long[]> counts = new HashMap<>();
        for (int place = SWITCH; place < REASONS.length; place++) {
            if (!counts.containsKey(REASONS[place])) {
                counts.put(REASONS[place], new long[2]);
            }
            long[] both = counts.get(REASONS[place]);
            both[0] += CONNECTED.get(place);
            both[1] += ACCEPTED.get(place);
        }
        return counts;
    }

    /**
     * Returns the place where a connection is to be made.
     *
     * @param bound the address that the application asked to bind to, or null
     * @param remote the destination; null = return what a listener at {@code bound} accepts
     */
    @Override
    public int applyAsInt(InetSocketAddress bound, InetSocketAddress remote) {
        String verdict = rules == null ? "OFFLOAD_FIRST" : rules.apply(bound, remote);
        Console.printSaid(); // about a file of rules that is new
        if (remote == null) {
            return switch (verdict) {
                case "KERNEL" -> RULE_TCP;
                case "DIRECT" -> RULE_DIRECT;
                case "NO_RULES" -> NO_RULES;
                default -> oneProcessor ? ACCEPTS_UNCOUNTED : ACCEPTS;
            };
        }
        if (verdict.equals(EarlyCheck.OFFLOAD_ONLY)) {
            return SWITCH_ONLY;
        }
        boolean proxies = !channels && proxies();
        if (remote.isUnresolved() && !proxies) {
            return NOT_LOCAL; // the name is unknown: the JDK's connect says so
        }
        boolean elsewhere = proxies || isWildcard(remote); // the connect may use another address
        if (elsewhere && EarlyCheck.mayForbidTcp()) {
            return SWITCH_ONLY;
        }
        int undecided = Boot.failed() ? OFF : SWITCH;
        if (elsewhere) {
            return undecided;
        }
        return switch (verdict) {
            case "KERNEL" -> RULE_TCP;
            case "DIRECT" -> RULE_DIRECT;
            case "NO_RULES" -> NO_RULES;
            default -> {
                int place = undecided == OFF ? OFF : place(remote.getAddress());
                // one processor would load the switch and carry the connection at the same time,
                // and be late with both
                boolean needed =
                        bound != null || verdict.equals("SWITCH") || (atOnce && oneProcessor);
                yield needed && place != NOT_LOCAL ? undecided : place;
            }
        };
    }

    private static boolean isWildcard(InetSocketAddress address) {
        return address.getAddress() != null && address.getAddress().isAnyLocalAddress();
    }

    private int place(InetAddress address) {
        if (address.isLoopbackAddress() || isOwn(address)) {
            if (atOnce) {
                return MOVES;
            }
            return oneProcessor && (channels || isYoung()) ? STAYS : MAY_MOVE;
        }
        return NOT_LOCAL; // OFFLOAD_ONLY has returned before, so TCP may carry it
    }

    /**
     * Whether the program has just started. Counting costs some 200 ms of processor time until its
     * code is compiled, which a short program with only one processor feels.
     */
    private static boolean isYoung() {
        return System.nanoTime() - Premain.STARTED_NANOS < YOUNG_NANOS;
    }

    /** Whether a proxy may be meant. */
    static boolean proxies() {
        ProxySelector selector = ProxySelector.getDefault();
        return selector != null
                && (!selector.getClass().getName().equals("sun.net.spi.DefaultProxySelector")
                        || System.getProperty("socksProxyHost") != null
                        || Boolean.getBoolean("java.net.useSystemProxies"));
    }

    /**
     * Whether {@code address} is one of this host's. The list is kept for a while: the kernel takes
     * long to give it, and a program that only talks to other hosts asks at each connect.
     */
    private static boolean isOwn(InetAddress address) {
        long now = System.nanoTime();
        if (ownNanos == 0 || now - ownNanos >= OWN_NANOS) {
            own = ownAddresses();
            ownNanos = now;
        }
        return own.contains(address);
    }

    private static Set<InetAddress> ownAddresses() {
        Set<InetAddress> addresses = new HashSet<>();
        try {
            Enumeration<NetworkInterface> interfaces = NetworkInterface.getNetworkInterfaces();
            while (interfaces.hasMoreElements()) {
                Enumeration<InetAddress> here = interfaces.nextElement().getInetAddresses();
                while (here.hasMoreElements()) {
                    addresses.add(here.nextElement());
                }
            }
        } catch (SocketException e) {
            // the switch would not find this host's addresses, either
        }
        return addresses;
    }

    /**
     * Starts the switch, which goes on with the socket that the map describes. A map with a task
     * leaves that to {@link EarlyStart}: a task under {@code listens} waits until it is time, one
     * under {@code enough} runs now. A map with {@code wanted} lets waiting tasks go on.
     */
    @Override
    public SocketImpl apply(Map<String, Object> state) {
        if (state.get("listens") instanceof Runnable listener) {
            EarlyStart.add(listener, false);
        } else if (state.get("enough") instanceof Runnable connection) {
            EarlyStart.add(connection, true);
        } else if (state.containsKey("wanted")) {
            EarlyStart.wanted();
        } else {
            return Boot.goOn(state);
        }
        return null;
    }
}
