package io.sdp4j.bench;

import java.util.List;

/**
 * Rows of {@code bench verbs}, over an RDMA device. Software devices spend processor time on every
 * packet: only ratios within one run mean something.
 */
final class VerbsRows {
    /**
     * soft-iWARP carries its packets over the kernel's TCP, as the interface's other users do; so
     * there, and only there, it is fair to compare with it.
     */
    private static final boolean OVER_TCP = "siw".equals(System.getenv("LAB_FABRIC"));

    static final List<Row> ALL =
            Row.table(
                    """
                    verbs-rtt64 | TCP RSOCKETS VERBS | 2 | echo 64 1 | p50 | \
                        blocking socket: 64 B round trip
                      faster p50 VERBS RSOCKETS 1.2
                    verbs-stream64k | TCP RSOCKETS BARE VERBS | 2 | sink 65536 | bytes | \
                        blocking socket: stream, 64 KiB writes
                      faster bytes VERBS RSOCKETS 3; faster bytes VERBS BARE 0.8%s
                    verbs-lend1m | BARE BARE_TOLD VERBS VERBS_LENDING | 2 | \
                        channel-sink 1048576 | bytes | \
                        blocking channel: stream, 1 MiB direct buffers
                      faster bytes VERBS_LENDING VERBS 1; faster bytes VERBS_LENDING BARE 0.8
                      faster cpu VERBS_LENDING VERBS 1
                    verbs-connect | TCP BARE VERBS | 2 | connect-only | p50 | \
                        blocking socket: connect
                      timesAsLong p50 VERBS BARE 1.5
                    verbs-alloc | VERBS | 1 | sink 65536 | alloc | \
                        blocking socket: heap bytes per 64 KiB write, both ends
                      atMost alloc VERBS 0.05
                    verbs-lend-alloc | VERBS_LENDING | 1 | channel-sink 1048576 | alloc | \
                        blocking channel: heap bytes per 1 MiB direct buffer, both ends
                      atMost alloc VERBS_LENDING 0.05
                    """
                            .formatted(OVER_TCP ? "; faster bytes VERBS TCP 0.8" : ""));

    private VerbsRows() {}
}
