package io.sdp4j.fabric;

/**
 * Abilities of a fabric, told once; differences are handled by these values, never by the fabric's
 * name.
 *
 * @param maxRequestPrivateDataBytes private data that fits a connection request, and the answer to
 *     it
 * @param sendsCompleteAtPost a send is complete when posted: no {@link Completion#SEND} is reported
 *     for it unless it was posted {@link QueuePair#SIGNALLED}, and a free send slot exists whenever
 *     the peer has a posted receive
 * @param maxOutstandingReads RDMA reads one queue pair may have running, 0 = no RDMA operations
 * @param rdmaSparesCopies the device moves the bytes of RDMA operations, so that lending a large
 *     buffer saves copies by the processor; where they move the bytes themselves, nothing is gained
 * @param rdmaBytes bytes of one RDMA operation above which a longer one is no faster; at least 1
 * @param refusalCostsRoundTrip a missing listener is found out by asking another host, so it is
 *     worth remembering
 */
public record Capabilities(
        int maxRequestPrivateDataBytes,
        boolean sendsCompleteAtPost,
        int maxOutstandingReads,
        boolean rdmaSparesCopies,
        int rdmaBytes,
        boolean refusalCostsRoundTrip) {}
