package io.sdp4j.fabric;

/**
 * The abilities of a fabric. These values never change. Callers handle differences between fabrics
 * by these values, never by the fabric's name.
 *
 * @param maxRequestPrivateDataBytes private data that fits a connection request, and the answer to
 *     one
 * @param sendsCompleteAtPost a send is complete when posted: no {@link Completion#SEND} is reported
 *     for it unless it was posted {@link QueuePair#SIGNALLED}, and a free send slot exists whenever
 *     the peer has a posted receive
 * @param maxOutstandingReads RDMA reads one queue pair may have running, 0 = no RDMA operations
 * @param rdmaSparesCopies the device moves the bytes of RDMA operations, so that lending a large
 *     buffer saves copies by the processor; false where the processes move the bytes themselves
 * @param rdmaBytes size of an RDMA operation above which a longer one gains no throughput; at least
 *     1
 * @param reachesOtherHosts peers may be on other hosts: to find out that one does not listen costs
 *     a round trip, so the answer is worth remembering; and a session may be suspended and go on
 *     over another device
 */
public record Capabilities(
        int maxRequestPrivateDataBytes,
        boolean sendsCompleteAtPost,
        int maxOutstandingReads,
        boolean rdmaSparesCopies,
        int rdmaBytes,
        boolean reachesOtherHosts) {}
