package io.sdp4j.fabric.verbs;

/**
 * An event of the connection manager.
 *
 * @param type a constant of {@link RdmaCmEvent}
 * @param status on InfiniBand and RoCE a reason of the IB CM, positive; on iWARP {@code -errno}
 * @param errno why a step of the library failed without the peer's doing; 0 = none failed
 * @param id address of the {@code rdma_cm_id} that the event is about
 * @param listenId address of the listener's id, for a request
 * @param privateData private data as received, including padding
 * @param readsServed RDMA reads that the peer wants us to serve at a time; 0 = it did not say
 * @param readsStarted RDMA reads of ours that the peer serves at a time; 0 = it did not say
 */
@SuppressWarnings("ArrayRecordComponent") // carried, never compared
record CmEvent(
        int type,
        int status,
        int errno,
        long id,
        long listenId,
        byte[] privateData,
        int readsServed,
        int readsStarted) {}
