package io.sdp4j.stream;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Logs violations of peers and the sessions that they suspended and lost: one line for each peer
 * and minute, and at most {@value #MOST_LINES} lines a minute for all of them together, because a
 * hostile peer can have many names. Thread-safe.
 */
final class ViolationLog {
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST_PEERS = 256;
    private static final int MOST_LINES = 30;

    private static final class Peer {
        long toldNanos;
        long untold;
    }

    private final Consumer<String> log;
    private final LongSupplier clock;
    private final AtomicBoolean toldShort = new AtomicBoolean();

    /** The peers logged last; guarded by this. */
    final Map<String, Peer> peers =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Peer> eldest) {
                    return size() > MOST_PEERS;
                }
            };

    // guarded by this: the start of the current minute, its lines, the violations left out
    private long beganNanos;
    private int lines;
    private long others;

    ViolationLog(Consumer<String> log, LongSupplier clock) {
        this.log = log;
        this.clock = clock;
        beganNanos = clock.getAsLong();
    }

    /**
     * @param peer as the kernel or the network names it
     * @param what a sentence that has the peer as its subject
     */
    void add(String peer, String what) {
        long now = clock.getAsLong();
        long untold;
        long left;
        synchronized (this) {
            Peer known = peers.get(peer);
            if (known != null && now - known.toldNanos < QUIET_NANOS) {
                known.untold++;
                return;
            }
            if (now - beganNanos >= QUIET_NANOS) {
                beganNanos = now;
                lines = 0;
            }
            if (lines == MOST_LINES) {
                others++;
                return;
            }
            lines++;
            left = others;
            others = 0;
            untold = known == null ? 0 : known.untold;
            Peer fresh = new Peer();
            fresh.toldNanos = now;
            peers.put(peer, fresh);
        }
        log.accept(
                "peer "
                        + peer
                        + " "
                        + what
                        + (untold == 0 ? "" : "; " + untold + " more since the last line")
                        + (left == 0 ? "" : "; " + left + " of others were left out"));
    }

    /**
     * This process lacks something that connections need and its operator can provide: logged once.
     */
    void shortOf(String what) {
        if (toldShort.compareAndSet(false, true)) {
            log.accept(
                    "peers stay on TCP: "
                            + what
                            + "; raise that limit: ulimit -n, ulimit -f, sdp4j.memory.max.mb, the"
                            + " memory of a container (reason MEMORY, told once)");
        }
    }
}
