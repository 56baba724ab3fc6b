package io.sdp4j.bench;

import java.util.List;

/**
 * Rows of {@code bench zcopy}: borrowing direct buffers beside copying them. While their bars are
 * reached, the default of {@code sdp4j.zcopy.enabled} is right for shared memory. The commands are
 * {@link io.sdp4j.bench.net.AsyncPeers}'s.
 */
final class ZcopyRows {
    static final List<Row> ALL =
            Row.table(
                    """
                    async-1x1048576 | ASYNC_TCP ASYNC_COPYING ASYNC_LENDING | 1 | \
                        async 1048576 1 | cpu | asynchronous channels, 1 MiB direct buffers, 1
                      faster bytes ASYNC_COPYING ASYNC_LENDING 1
                      faster cpu ASYNC_COPYING ASYNC_LENDING 1
                      faster bytes ASYNC_COPYING ASYNC_TCP 1
                    async-4x1048576 | ASYNC_TCP ASYNC_COPYING ASYNC_LENDING | 1 | \
                        async 1048576 4 | cpu | asynchronous channels, 1 MiB direct buffers, 4
                      faster bytes ASYNC_COPYING ASYNC_LENDING 1
                      faster cpu ASYNC_COPYING ASYNC_LENDING 1
                      faster bytes ASYNC_COPYING ASYNC_TCP 1
                    """);

    private ZcopyRows() {}
}
