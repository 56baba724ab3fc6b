package io.sdp4j.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.WcStatus;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * RDMA reads and writes of one queue pair. The engine is made when it is first needed.
 *
 * <p>Shape: bytes travel in chunks of the direction's chunk area. A write takes one or more chunks;
 * each chunk comes back over the return ring when it has been carried out, and the operation is
 * complete when the last chunk has come back. A read is one chunk with the request, which is
 * answered by response chunks of the other direction. Target and responder act when they poll.
 *
 * {@snippet lang = text :
 *  chunk   0      4       8        64
 *          | rkey |       | address | payload ...      (response: payload only)
 * }
 *
 * Work is published in the order in which it was posted. Sends join the queue here while older RDMA
 * work waits for chunks, so a send never overtakes a write. A refused access is answered by a NAK
 * behind the responses that are still due, and ends both queue pairs.
 *
 * <p>Guarded by the queue pair's lock. Headers are copied, then checked.
 */
final class RdmaEngine {
    static final int MAX_READS = 4;
    private static final int MAX_OPERATIONS = 16 + MAX_READS; // writes, which come first

    private final ShmQueuePair qp;
    private final SendRing out;
    private final ReceiveRing in;
    private final MemorySegment mem;
    private final ShmLayout layout;
    private final int direction;

    /** Memory of this side that takes part in RDMA. */
    final ShmRegions regions;

    final Chunks chunks;

    /** Operations posted and not yet reported, oldest first. */
    private final ArrayDeque<RdmaOperation> operations = new ArrayDeque<>();

    /** Operations to be used again. */
    private final ArrayDeque<RdmaOperation> spare = new ArrayDeque<>();

    /**
     * Operations and descriptors of sends that are posted and not fully published, oldest first.
     */
    private final ArrayDeque<Object> work = new ArrayDeque<>();

    /** Reads of this side that wait for their response, oldest first. */
    private final ArrayDeque<RdmaOperation> reads = new ArrayDeque<>();

    /** Reads of the peer that are not fully answered, oldest first. */
    private final ArrayDeque<Inbound> inbound = new ArrayDeque<>();

    private boolean refusing;

    private static final class Inbound {
        ShmMemoryRegion region;
        int rkey;
        long offset;
        int left;
    }

    RdmaEngine(
            ShmQueuePair qp,
            SendRing out,
            ReceiveRing in,
            MemorySegment mem,
            ShmLayout layout,
            ShmRegions regions) {
        this.regions = regions;
        this.qp = qp;
        this.out = out;
        this.in = in;
        this.mem = mem;
        this.layout = layout;
        this.direction = qp.side;
        chunks = new Chunks(mem, layout, direction);
    }

    /** Posts an operation; false if the limit of running operations is reached. */
    boolean post(
            int opcode,
            long wrId,
            MemoryRegion local,
            long localOffset,
            int lenBytes,
            long remoteAddress,
            int rkey) {
        boolean read = opcode == Completion.READ;
        if (operations.size() >= MAX_OPERATIONS || (read && reads.size() >= MAX_READS)) {
            return false;
        }
        RdmaOperation op = spare.isEmpty() ? new RdmaOperation() : spare.pop();
        op.start(wrId, opcode);
        operations.add(op);
        if (!(local instanceof ShmMemoryRegion region)
                || !region.belongsTo(regions)
                || region.memory() == null
                || !region.covers(localOffset, lenBytes)) {
            op.status = WcStatus.LOC_PROT_ERR;
            qp.fail(WcStatus.LOC_PROT_ERR);
            return true;
        }
        op.local = region;
        op.localOffset = localOffset;
        op.lenBytes = lenBytes;
        op.remoteAddress = remoteAddress;
        op.rkey = rkey;
        if (read) {
            reads.add(op);
        }
        work.add(op);
        progress();
        return true;
    }

    /** See {@link ShmQueuePair#trim}. */
    boolean trim() {
        return operations.isEmpty() && chunks.trim();
    }

    /** Whether something posted earlier still waits to be published. */
    boolean mustQueue() {
        return !work.isEmpty();
    }

    void queue(long descriptor) {
        work.add(descriptor);
    }

    /** Whether a returned chunk could let some work go on. */
    boolean waits() {
        return !operations.isEmpty() || !work.isEmpty() || !inbound.isEmpty();
    }

    /** Publishes responses and work while there are free chunks. */
    void progress() {
        out.drainReturns(this);
        boolean any = false;
        while (!qp.failed()) {
            boolean answered = respond();
            if (!qp.failed() && !publish() && !answered) {
                break;
            }
            any = true;
        }
        if (any) {
            qp.completions.notifyPeer();
        }
        qp.rdmaWaits = waits();
    }

    private boolean publish() {
        Object first = work.peek();
        if (first == null) {
            return false;
        }
        if (first instanceof Long descriptor) {
            out.publish(descriptor);
            work.remove();
            return true;
        }
        if (chunks.none()) {
            return false;
        }
        RdmaOperation op = (RdmaOperation) first;
        long at = chunks.next();
        if (op.opcode == Completion.READ) {
            mem.set(JAVA_INT, at, op.rkey);
            mem.set(JAVA_LONG, at + 8, op.remoteAddress);
            out.publish(
                    Descriptor.of(
                            Descriptor.READ_REQUEST,
                            chunks.take(Chunks.NO_OPERATION),
                            op.lenBytes));
            work.remove();
            return true;
        }
        int n = Math.min(layout.chunkBytes, op.lenBytes - op.moved);
        long payload = at + ShmLayout.CHUNK_HEADER_BYTES;
        long from = op.localOffset + op.moved;
        if (!op.local.get(ShmMemoryRegion.OWN, from, mem, payload, n)) {
            op.status = WcStatus.LOC_PROT_ERR;
            qp.fail(WcStatus.LOC_PROT_ERR);
            return false;
        }
        mem.set(JAVA_INT, at, op.rkey);
        mem.set(JAVA_LONG, at + 8, op.remoteAddress + op.moved);
        op.moved += n;
        op.chunksOut++;
        out.publish(Descriptor.of(Descriptor.WRITE, chunks.take(op), n));
        if (op.moved == op.lenBytes) {
            op.published = true;
            work.remove();
        }
        return true;
    }

    private boolean respond() {
        Inbound r = inbound.peek();
        if (r == null) {
            if (refusing) {
                refusing = false;
                out.publish(Descriptor.of(Descriptor.NAK, 0, 0));
                qp.fail(WcStatus.REM_ACCESS_ERR);
            }
            return false;
        }
        if (chunks.none()) {
            return false;
        }
        int n = Math.min(layout.chunkBytes, r.left);
        long payload = chunks.next() + ShmLayout.CHUNK_HEADER_BYTES;
        if (!r.region.get(r.rkey, r.offset, mem, payload, n)) {
            inbound.clear();
            refusing = true;
            return true;
        }
        r.offset += n;
        r.left -= n;
        out.publish(Descriptor.of(Descriptor.READ_RESPONSE, chunks.take(Chunks.NO_OPERATION), n));
        if (r.left == 0) {
            inbound.remove();
        }
        return true;
    }

    /** Carries out an RDMA descriptor of the peer; false if it breaks the rules. */
    boolean onDescriptor(int kind, int chunk, int low) {
        if (refusing) {
            return true;
        }
        if (kind == Descriptor.NAK) {
            return onNak();
        }
        if (chunk >= layout.chunks || low < 0) {
            return false;
        }
        long at = layout.chunkAt(1 - direction, chunk);
        boolean legal =
                switch (kind) {
                    case Descriptor.WRITE -> onWrite(at, low);
                    case Descriptor.READ_REQUEST -> onReadRequest(at, low);
                    case Descriptor.READ_RESPONSE -> onReadResponse(at, low);
                    default -> false;
                };
        if (legal && !refusing) {
            in.returnChunk(chunk);
            qp.completions.notifyPeer();
        }
        if (legal) {
            progress();
        }
        return legal;
    }

    private boolean onWrite(long at, int lenBytes) {
        int rkey = mem.get(JAVA_INT, at);
        long address = mem.get(JAVA_LONG, at + 8);
        if (lenBytes > layout.chunkBytes) {
            return false;
        }
        ShmMemoryRegion r = regions.get(rkey);
        long payload = at + ShmLayout.CHUNK_HEADER_BYTES;
        if (r == null || !r.remoteWrite || !r.put(rkey, address, mem, payload, lenBytes)) {
            refusing = true;
        }
        return true;
    }

    private boolean onReadRequest(long at, int lenBytes) {
        int rkey = mem.get(JAVA_INT, at);
        long address = mem.get(JAVA_LONG, at + 8);
        if (inbound.size() >= MAX_READS) {
            return false;
        }
        ShmMemoryRegion r = regions.get(rkey);
        if (r == null || !r.remoteRead || !r.covers(address, lenBytes)) {
            refusing = true;
            return true;
        }
        Inbound read = new Inbound();
        read.region = r;
        read.rkey = rkey;
        read.offset = address;
        read.left = lenBytes;
        inbound.add(read);
        return true;
    }

    private boolean onReadResponse(long at, int lenBytes) {
        RdmaOperation op = reads.peek();
        if (op == null || lenBytes > layout.chunkBytes || lenBytes > op.lenBytes - op.moved) {
            return false;
        }
        if (lenBytes == 0 && op.lenBytes != 0) {
            return false;
        }
        long to = op.localOffset + op.moved;
        long payload = at + ShmLayout.CHUNK_HEADER_BYTES;
        if (!op.local.put(ShmMemoryRegion.OWN, to, mem, payload, lenBytes)) {
            op.status = WcStatus.LOC_PROT_ERR;
            qp.fail(WcStatus.LOC_PROT_ERR);
            return true;
        }
        op.moved += lenBytes;
        if (op.moved == op.lenBytes) {
            op.status = WcStatus.SUCCESS;
            reads.remove();
        }
        return true;
    }

    private boolean onNak() {
        out.drainReturns(this);
        for (RdmaOperation op : operations) {
            if (op.status == null) {
                op.status = WcStatus.REM_ACCESS_ERR;
                qp.fail(WcStatus.REM_ACCESS_ERR);
                return true;
            }
        }
        return false;
    }

    /** Whether {@link #report} has something to report. */
    boolean reports() {
        RdmaOperation first = operations.peek();
        return first != null && first.status != null;
    }

    /** Reports the oldest operation if it has ended. */
    boolean report(Completion into) {
        RdmaOperation op = operations.peek();
        if (op == null || op.status == null) {
            return false;
        }
        operations.remove();
        into.opcode = op.opcode;
        into.status = op.status;
        into.wrId = op.wrId;
        into.byteLen = op.lenBytes;
        if (op.status == WcStatus.SUCCESS) {
            spare.push(op); // nothing else knows it any more
        }
        qp.rdmaWaits = waits();
        return true;
    }

    /** Flushes all operations that have not ended, because the connection is over. */
    void flush() {
        for (RdmaOperation op : operations) {
            if (op.status == null) {
                op.status = WcStatus.WR_FLUSH_ERR;
            }
        }
        work.clear();
        reads.clear();
        inbound.clear();
        qp.rdmaWaits = false;
    }
}
