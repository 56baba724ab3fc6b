package io.sdp4j.bench;

import static io.sdp4j.bench.Config.ASYNC_COPYING;
import static io.sdp4j.bench.Config.ASYNC_LENDING;
import static io.sdp4j.bench.Config.ASYNC_TCP;

import java.util.List;

/**
 * Rows of {@code bench zcopy}: borrowing direct buffers beside copying them. While their bars are
 * reached, the default of {@code sdp4j.zcopy.enabled} is right for shared memory. The commands are
 * {@link io.sdp4j.bench.net.AsyncPeers}'s.
 */
final class ZcopyRows {
    private static final int BUFFER_BYTES = 1 << 20;

    static final List<Row> ALL = List.of(row(1), row(4));

    private ZcopyRows() {}

    private static Row row(int buffers) {
        return new Row(
                "async-" + buffers + "x" + BUFFER_BYTES,
                "asynchronous channels, 1 MiB direct buffers, " + buffers,
                "async " + BUFFER_BYTES + " " + buffers,
                "cpu",
                List.of(ASYNC_TCP, ASYNC_COPYING, ASYNC_LENDING),
                1,
                List.of(
                        Bar.faster("bytes", ASYNC_COPYING, ASYNC_LENDING, 1),
                        Bar.faster("cpu", ASYNC_COPYING, ASYNC_LENDING, 1),
                        Bar.faster("bytes", ASYNC_COPYING, ASYNC_TCP, 1)));
    }
}
