package io.sdp4j.resolve;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Caches the GID tables of ports, because a table may have hundreds of files.
 *
 * <p>A table changes a moment after the kernel announced that the addresses of an interface
 * changed. So a table that was read within {@value #SETTLE_SECONDS} s of the announcement is read
 * again at the next question. Tables that were read later are good until the next announcement,
 * which leads to a new object of this class. Thread-safe.
 */
final class GidTables {
    static final int SETTLE_SECONDS = 1;

    private record Read(List<Gid> gids, boolean settled) {}

    private final LongSupplier nanoTime;
    private final long madeNanos;
    private final Map<RdmaPort, Read> tables = new ConcurrentHashMap<>();

    /**
     * @param nanoTime a clock as {@link System#nanoTime}
     */
    GidTables(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        madeNanos = nanoTime.getAsLong();
    }

    List<Gid> of(RdmaPort port) {
        Read known = tables.get(port);
        if (known != null && known.settled) {
            return known.gids;
        }
        boolean settled =
                nanoTime.getAsLong() - madeNanos >= TimeUnit.SECONDS.toNanos(SETTLE_SECONDS);
        Read read = new Read(port.gids(), settled);
        tables.put(port, read);
        return read.gids;
    }
}
