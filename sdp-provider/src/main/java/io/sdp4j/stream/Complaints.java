package io.sdp4j.stream;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What peers have done wrong, told in one line for each address and minute, so that a hostile one
 * cannot fill the log. Thread-safe.
 */
final class Complaints {
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST_PEERS = 256;

    private static final class Peer {
        long toldNanos;
        long untold;
    }

    private final Consumer<String> log;
    private final LongSupplier clock;

    /** The peers told of last; guarded by this. */
    private final Map<InetAddress, Peer> peers =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<InetAddress, Peer> eldest) {
                    return size() > MOST_PEERS;
                }
            };

    Complaints(Consumer<String> log, LongSupplier clock) {
        this.log = log;
        this.clock = clock;
    }

    /**
     * @param what a sentence that has the peer as its subject
     */
    void add(InetAddress address, String what) {
        long now = clock.getAsLong();
        long untold;
        synchronized (this) {
            Peer peer = peers.get(address);
            if (peer != null && now - peer.toldNanos < QUIET_NANOS) {
                peer.untold++;
                return;
            }
            untold = peer == null ? 0 : peer.untold;
            Peer fresh = new Peer();
            fresh.toldNanos = now;
            peers.put(address, fresh);
        }
        log.accept(
                "peer "
                        + address.getHostAddress()
                        + " "
                        + what
                        + (untold == 0 ? "" : "; " + untold + " more since the last line"));
    }
}
