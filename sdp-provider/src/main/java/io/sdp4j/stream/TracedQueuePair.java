package io.sdp4j.stream;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.trace.ConnectionTrace;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * A queue pair that records what is posted to it and what completes.
 *
 * <p>A message is recorded from the memory that it is sent from, or that it landed in. A hostile
 * peer that can write there may make the trace tell something else than the stream has seen; it
 * cannot do more.
 *
 * <p>Guarded as the queue pair is: posting and polling by the stream's lock.
 */
final class TracedQueuePair implements QueuePair {
    private final QueuePair qp;
    private final ConnectionTrace trace;
    private final CompletionQueue completions;
    private final MemorySegment sendMemory;
    private final MemorySegment receiveMemory;
    private boolean ended;

    TracedQueuePair(QueuePair qp, ConnectionTrace trace) {
        this.qp = qp;
        this.trace = trace;
        this.completions = new Completions(qp.completions());
        this.sendMemory = qp.sendMemory();
        this.receiveMemory = qp.receiveMemory();
    }

    @Override
    public String peer() {
        return qp.peer();
    }

    @Override
    public void postSend(int slot, int byteLen, int flags) {
        trace.sent(System.nanoTime(), sendMemory, qp.sendOffset(slot), byteLen);
        qp.postSend(slot, byteLen, flags);
    }

    @Override
    public boolean postRead(
            long wrId,
            MemoryRegion local,
            long localOffset,
            int lenBytes,
            long remoteAddress,
            int rkey) {
        boolean posted = qp.postRead(wrId, local, localOffset, lenBytes, remoteAddress, rkey);
        if (posted) {
            trace.rdmaRead(System.nanoTime(), lenBytes, rkey, remoteAddress);
        }
        return posted;
    }

    @Override
    public boolean postWrite(
            long wrId,
            MemoryRegion local,
            long localOffset,
            int lenBytes,
            long remoteAddress,
            int rkey) {
        boolean posted = qp.postWrite(wrId, local, localOffset, lenBytes, remoteAddress, rkey);
        if (posted) {
            trace.rdmaWrite(System.nanoTime(), lenBytes, rkey, remoteAddress);
        }
        return posted;
    }

    @Override
    public void disconnect() {
        if (!ended) {
            ended = true;
            trace.disconnect(System.nanoTime(), false);
        }
        qp.disconnect();
    }

    @Override
    public void abort() {
        if (!ended) {
            ended = true;
            trace.abort(System.nanoTime(), false, "");
        }
        qp.abort();
    }

    private void onCompletion(Completion c) {
        switch (c.opcode) {
            case Completion.RECEIVE -> {
                if (c.status == WcStatus.SUCCESS) {
                    long at = qp.receiveOffset(c.slot);
                    trace.received(System.nanoTime(), receiveMemory, at, c.byteLen);
                }
            }
            case Completion.DISCONNECTED -> {
                if (c.status == WcStatus.SUCCESS) {
                    trace.disconnect(System.nanoTime(), true);
                } else {
                    trace.abort(System.nanoTime(), true, c.status.name());
                }
            }
            case Completion.ERROR -> trace.abort(System.nanoTime(), true, c.status.name());
            default -> {} // what we posted was recorded then
        }
    }

    @Override
    public long nativeCalls() {
        return qp.nativeCalls();
    }

    @Override
    public CompletionQueue completions() {
        return completions;
    }

    private final class Completions implements CompletionQueue {
        private final CompletionQueue queue;

        Completions(CompletionQueue queue) {
            this.queue = queue;
        }

        @Override
        public boolean poll(Completion into) {
            boolean found = queue.poll(into);
            if (found) {
                onCompletion(into);
            }
            return found;
        }

        @Override
        public boolean known() {
            return queue.known();
        }

        @Override
        public boolean spared() {
            return queue.spared();
        }

        @Override
        public boolean ready() {
            return queue.ready();
        }

        @Override
        public void await(long nanos) {
            queue.await(nanos);
        }

        @Override
        public void wake() {
            queue.wake();
        }

        @Override
        public boolean arm() {
            return queue.arm();
        }

        @Override
        public void onNotify(Runnable handler) {
            queue.onNotify(handler);
        }

        @Override
        public int descriptor() {
            return queue.descriptor();
        }

        @Override
        public boolean busyPoll(boolean spoken, BooleanSupplier elsewhere) {
            return queue.busyPoll(spoken, elsewhere);
        }

        @Override
        public BusyLook busyLook() {
            return queue.busyLook();
        }

        @Override
        public boolean rung() {
            return queue.rung();
        }

        @Override
        public boolean hearQuiet() {
            return queue.hearQuiet();
        }

        @Override
        public boolean armDescriptor(boolean quietToo) {
            return queue.armDescriptor(quietToo);
        }

        @Override
        public void releaseDescriptor() {
            queue.releaseDescriptor();
        }
    }

    // --- all the rest is the queue pair's own ---

    @Override
    public boolean trim(Runnable onUse) {
        return qp.trim(onUse);
    }

    @Override
    public boolean postProbe(long wrId) {
        return qp.postProbe(wrId);
    }

    @Override
    public MemorySegment sendMemory() {
        return sendMemory;
    }

    @Override
    public long sendOffset(int slot) {
        return qp.sendOffset(slot);
    }

    @Override
    public boolean peerIsOurs() {
        return qp.peerIsOurs();
    }

    @Override
    public boolean peerSleepsThroughMore() {
        return qp.peerSleepsThroughMore();
    }

    @Override
    public boolean writesPast() {
        return qp.writesPast();
    }

    @Override
    public long receivedLong(int slot, int at) {
        return qp.receivedLong(slot, at);
    }

    @Override
    public void putLong(int slot, int at, long value) {
        qp.putLong(slot, at, value);
    }

    @Override
    public void copyIn(byte[] from, int offset, long to, int lenBytes) {
        qp.copyIn(from, offset, to, lenBytes);
    }

    @Override
    public void copyOut(long from, byte[] to, int offset, int lenBytes) {
        qp.copyOut(from, to, offset, lenBytes);
    }

    @Override
    public void writePast(int slot, int at, ByteBuffer from, int fromIndex, int lenBytes) {
        qp.writePast(slot, at, from, fromIndex, lenBytes);
    }

    @Override
    public void writePast(int slot, int at, byte[] from, int fromOffset, int lenBytes) {
        qp.writePast(slot, at, from, fromOffset, lenBytes);
    }

    @Override
    public void unsent(int slot, int byteLen) {
        qp.unsent(slot, byteLen);
    }

    @Override
    public void readToEnd(int slot) {
        qp.readToEnd(slot);
    }

    @Override
    public int sendBytes() {
        return qp.sendBytes();
    }

    @Override
    public int usualBytes() {
        return qp.usualBytes();
    }

    @Override
    public boolean bookLong() {
        return qp.bookLong();
    }

    @Override
    public MemorySegment receiveMemory() {
        return receiveMemory;
    }

    @Override
    public long receiveOffset(int slot) {
        return qp.receiveOffset(slot);
    }

    @Override
    public int takeSendSlot() {
        return qp.takeSendSlot();
    }

    @Override
    public void returnSendSlot(int slot) {
        qp.returnSendSlot(slot);
    }

    @Override
    public void postReceive(int slot) {
        qp.postReceive(slot);
    }

    @Override
    public MemoryRegion register(MemorySegment memory, boolean remoteRead, boolean remoteWrite)
            throws FabricException {
        return qp.register(memory, remoteRead, remoteWrite);
    }

    @Override
    public void forgetKeys() {
        qp.forgetKeys();
    }

    @Override
    public void close() {
        qp.close();
    }
}
