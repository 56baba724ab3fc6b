package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reads, writes and probes of one queue pair, and the memory that its user has registered for them.
 *
 * <p>Posting is guarded by the queue pair's monitor, the rest is thread-safe.
 */
final class VerbsRdma {
    private final VerbsQueuePair qp;
    private final QpResources resources;
    private final WorkRequests requests;
    private final QpTeardown teardown;
    private final VerbsCompletionQueue completions;

    /** Regions that the user registered and has not closed, or may open again. */
    private final Set<VerbsMemoryRegion> regions = ConcurrentHashMap.newKeySet();

    /** This queue pair, for the cache that keeps its keys for a while. */
    private final RemoteKeyCache.Lender lender = new RemoteKeyCache.Lender();

    VerbsRdma(
            VerbsQueuePair qp,
            QpResources resources,
            WorkRequests requests,
            QpTeardown teardown,
            VerbsCompletionQueue completions) {
        this.qp = qp;
        this.resources = resources;
        this.requests = requests;
        this.teardown = teardown;
        this.completions = completions;
    }

    MemoryRegion register(MemorySegment memory, boolean remoteRead, boolean remoteWrite)
            throws FabricException {
        VerbsMemoryRegion r =
                qp.device.registrations.register(
                        memory, remoteRead, remoteWrite, lender, regions::remove);
        regions.add(r);
        return r;
    }

    void forgetKeys() {
        qp.device.registrations.forgetKeys(lender);
    }

    /** Ends all regions, after the queue pair was destroyed. */
    void end() {
        for (VerbsMemoryRegion r : regions) {
            r.end();
        }
    }

    /**
     * @param opcode {@link Completion#READ} or {@link Completion#WRITE}
     */
    boolean post(
            int opcode,
            long wrId,
            MemoryRegion local,
            long offset,
            int len,
            long address,
            int rkey) {
        synchronized (qp) {
            int place = requests.takeRdma(opcode, wrId);
            if (place < 0) {
                return false;
            }
            VerbsMemoryRegion region =
                    local instanceof VerbsMemoryRegion r && r.covers(qp.device, offset, len)
                            ? r
                            : null;
            if (region == null && qp.usable()) {
                requests.completeRdma(place, IbvWc.LOC_PROT_ERR);
                completions.onChange();
            } else {
                boolean read = opcode == Completion.READ;
                int op = read ? IbvSendWr.OP_RDMA_READ : IbvSendWr.OP_RDMA_WRITE;
                postOrFlush(place, op, region, offset, len, address, rkey);
            }
            return true;
        }
    }

    boolean postProbe(long wrId) {
        // An iWARP write completes when it has left, so it would not show whether the peer lives.
        boolean read = qp.device.sharesTcpPorts();
        synchronized (qp) {
            int place = requests.takeRdma(read ? Completion.READ : Completion.WRITE, wrId);
            if (place >= 0) {
                int op = read ? IbvSendWr.OP_RDMA_READ : IbvSendWr.OP_RDMA_WRITE;
                postOrFlush(place, op, null, 0, 0, 0, 0);
            }
            return place >= 0;
        }
    }

    /** Posts, or completes as flushed. A probe, which moves no byte, has no region. */
    private void postOrFlush(
            int place, int op, VerbsMemoryRegion local, long offset, int len, long to, int rkey) {
        if (!qp.usable()) {
            requests.completeRdma(place, IbvWc.WR_FLUSH_ERR);
            completions.onChange();
            return;
        }
        long from = local == null ? 0 : local.address() + offset;
        int lkey = local == null ? 0 : local.lkey;
        long id = WrId.of(WrId.RDMA, place);
        completions.onPosting(true);
        if (resources.postRdma(id, op, from, lkey, len, to, rkey) == 0) {
            requests.onRdmaPosted(place);
        } else {
            requests.completeRdma(place, IbvWc.WR_FLUSH_ERR);
            teardown.onFlush();
        }
    }
}
