package io.sdp4j.fabric.verbs;

/**
 * An event of the connection manager.
 *
 * @param type one of {@link RdmaCmEvent}'s
 * @param status a reason of the IB CM, positive, on InfiniBand and RoCE, {@code -errno} on iWARP
 * @param errno why a step of the library's own failed, which the peer had no part in; 0 = none has
 * @param id address of the {@code rdma_cm_id} it is about
 * @param listenId of the listener, for a request
 * @param privateData as it came, padding included
 * @param readsServed RDMA reads the peer wants us to serve at a time, 0 = it did not say
 * @param readsStarted RDMA reads of ours the peer will serve, 0 = it did not say
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
