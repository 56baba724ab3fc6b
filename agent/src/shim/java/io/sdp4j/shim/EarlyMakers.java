package io.sdp4j.shim;

import java.net.ConnectException;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Makers of sockets and channels that do not need the switch yet; each is made at its first use. If
 * the switch could not start and rules may forbid TCP, they remain, and their sockets refuse.
 */
final class EarlyMakers {
    /** The counts of connections before the switch; empty if there was no maker. */
    static final Supplier<Map<String, long[]>> COUNTS = new Counts();

    static final Object LOCK = new Object();

    static SocketImplFactory sockets; // set under LOCK, before socketsKnown; null = there is none
    static volatile EarlyChannels channels; // set under LOCK; null = there are none

    private static volatile boolean socketsKnown;
    private static boolean channelsKnown; // guarded by LOCK

    private EarlyMakers() {}

    private static final class Counts implements Supplier<Map<String, long[]>> {
        @Override
        public Map<String, long[]> get() {
            return (socketsKnown && sockets != null) || channels != null
                    ? EarlySockets.counts()
                    : Map.of();
        }
    }

    /** Returns the maker of sockets that do not need the switch yet; null if there is none. */
    static SocketImplFactory sockets() {
        if (!socketsKnown) {
            synchronized (LOCK) {
                if (!socketsKnown) {
                    sockets = (SocketImplFactory) maker(Grants.Deed.EARLY_SOCKETS);
                    socketsKnown = true;
                }
            }
            Console.printSaid();
        }
        return sockets;
    }

    /** Returns the maker of channels that do not need the switch yet; null if there is none. */
    static EarlyChannels channels() {
        EarlyChannels known = channels;
        if (known != null) {
            return known;
        }
        synchronized (LOCK) {
            if (!channelsKnown) {
                channels = (EarlyChannels) maker(Grants.Deed.EARLY_CHANNELS);
                channelsKnown = true;
            }
            known = channels;
        }
        Console.printSaid();
        return known;
    }

    /** Makes a listener that does not need the switch yet. */
    @SuppressWarnings("unchecked")
    static SocketImpl listener(SocketImplFactory sockets) {
        return ((Supplier<SocketImpl>) sockets).get();
    }

    /**
     * Returns an early maker, or null if there is none; then the switch starts at the first socket
     * or channel.
     */
    private static Object maker(Grants.Deed deed) {
        assert Thread.holdsLock(LOCK);
        try {
            boolean possible =
                    EarlySockets.possible()
                            && (deed == Grants.Deed.EARLY_SOCKETS || !EarlyCheck.mayForbidTcp());
            return possible ? Grants.given.ask(deed) : null;
        } catch (RuntimeException | LinkageError e) {
            return null;
        }
    }

    /**
     * Prepares early sockets and channels, which refuse connections that the rules forbid TCP, as
     * the switch could not start.
     */
    static void prepareRefusals() {
        synchronized (LOCK) {
            try {
                if (sockets == null) {
                    sockets = (SocketImplFactory) Grants.given.ask(Grants.Deed.EARLY_SOCKETS);
                }
                if (channels == null) {
                    channels = (EarlyChannels) Grants.given.ask(Grants.Deed.EARLY_CHANNELS);
                }
                if (channels == null) {
                    Console.say(
                            "every SocketChannel that connects is refused: channels that obey sdp"
                                    + " rules need JDK 25; use it, or remove those rules");
                }
            } catch (RuntimeException | LinkageError e) {
                Console.say(
                        "every client is refused, as the rules cannot be read: "
                                + Console.cause(e));
            }
            socketsKnown = true;
        }
    }

    /**
     * Returns the maker of channels that refuse connections which the rules forbid TCP.
     *
     * @throws ConnectException if there is none
     */
    static EarlyChannels refusing() throws ConnectException {
        EarlyChannels known = channels;
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
}
