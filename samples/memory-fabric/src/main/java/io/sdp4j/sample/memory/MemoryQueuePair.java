package io.sdp4j.sample.memory;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * One end of a connection, and its completion queue. A send slot is the peer's receive slot: what
 * is written there needs no copy to arrive, only a completion.
 *
 * <p>{@code lock}, which both ends share, guards all fields. For clarity a message costs an object
 * here; a fabric that is to be fast has none.
 */
final class MemoryQueuePair implements QueuePair, CompletionQueue {
    private record Event(int opcode, WcStatus status, int slot, int byteLen) {}

    private final MemoryFabric fabric;
    private final Object lock;
    private final MemorySegment memory;
    private final int slotBytes;
    private final long strideBytes;
    private MemoryQueuePair peer;

    /** Receive slots of this end that the peer may take to send. */
    private final Deque<Integer> posted = new ArrayDeque<>();

    private final Queue<Event> events = new ArrayDeque<>();
    private boolean over;
    private boolean woken;
    private boolean armed;
    private Runnable handler = () -> {};

    /** The end of the client. */
    MemoryQueuePair(MemoryFabric fabric, QpSpec spec) {
        this(fabric, spec, new Object());
    }

    private MemoryQueuePair(MemoryFabric fabric, QpSpec spec, Object lock) {
        this.fabric = fabric;
        this.lock = lock;
        slotBytes = spec.receiveBytes();
        strideBytes = (slotBytes + 7L) & ~7L;
        memory = Arena.ofAuto().allocate(spec.receiveSlots() * strideBytes, 8);
        for (int slot = 0; slot < spec.receiveSlots(); slot++) {
            posted.add(slot);
        }
    }

    /** The other end; once. */
    MemoryQueuePair otherEnd(MemoryFabric itsFabric, QpSpec spec) {
        MemoryQueuePair other = new MemoryQueuePair(itsFabric, spec, lock);
        other.peer = this;
        peer = other;
        fabric.add(this);
        itsFabric.add(other);
        return other;
    }

    @Override
    public MemorySegment sendMemory() {
        return peer.memory;
    }

    @Override
    public long sendOffset(int slot) {
        return slot * peer.strideBytes;
    }

    @Override
    public int sendBytes() {
        return peer.slotBytes;
    }

    @Override
    public MemorySegment receiveMemory() {
        return memory;
    }

    @Override
    public long receiveOffset(int slot) {
        return slot * strideBytes;
    }

    @Override
    public int takeSendSlot() {
        synchronized (lock) {
            Integer slot = peer.posted.poll();
            return slot == null ? -1 : slot;
        }
    }

    @Override
    public void returnSendSlot(int slot) {
        synchronized (lock) {
            peer.posted.addFirst(slot);
        }
    }

    @Override
    public void postSend(int slot, int byteLen, int flags) {
        synchronized (lock) {
            if (over) {
                return; // the peer is not there, which its end has told
            }
            if (byteLen > sendBytes()) {
                end(new Event(Completion.ERROR, WcStatus.LOC_LEN_ERR, 0, 0));
                return;
            }
            peer.complete(new Event(Completion.RECEIVE, WcStatus.SUCCESS, slot, byteLen));
            if ((flags & SIGNALLED) != 0) {
                complete(new Event(Completion.SEND, WcStatus.SUCCESS, slot, 0));
            }
        }
    }

    @Override
    public void postReceive(int slot) {
        synchronized (lock) {
            posted.add(slot);
        }
    }

    @Override
    public void disconnect() {
        end(new Event(Completion.DISCONNECTED, WcStatus.SUCCESS, 0, 0));
    }

    /** Nothing is under way that could be cut off. */
    @Override
    public void abort() {
        disconnect();
    }

    private void end(Event own) {
        synchronized (lock) {
            if (!over) {
                over = true;
                peer.over = true;
                complete(own);
                peer.complete(new Event(Completion.DISCONNECTED, WcStatus.SUCCESS, 0, 0));
            }
        }
    }

    @Override
    public void close() {
        disconnect();
        synchronized (lock) {
            armed = false;
        }
        fabric.remove(this);
    }

    @Override
    public CompletionQueue completions() {
        return this;
    }

    /** Under the lock: something has completed here. */
    private void complete(Event event) {
        events.add(event);
        lock.notifyAll();
        if (armed) {
            armed = false;
            MemoryFabric.EVENTS.execute(handler);
        }
    }

    @Override
    public boolean poll(Completion into) {
        synchronized (lock) {
            Event event = events.poll();
            if (event == null) {
                return false;
            }
            into.opcode = event.opcode;
            into.status = event.status;
            into.slot = event.slot;
            into.byteLen = event.byteLen;
            into.count = 1;
            into.signalled = event.opcode == Completion.SEND;
            return true;
        }
    }

    @Override
    public boolean ready() {
        synchronized (lock) {
            return !events.isEmpty();
        }
    }

    @Override
    public void await(long nanos) {
        long beganNanos = System.nanoTime();
        boolean interrupted = false;
        synchronized (lock) {
            long leftNanos = nanos;
            while (!woken && events.isEmpty() && leftNanos > 0) {
                try {
                    TimeUnit.NANOSECONDS.timedWait(lock, leftNanos);
                } catch (InterruptedException e) {
                    interrupted = true; // does not end the wait, and is kept
                }
                leftNanos = nanos - (System.nanoTime() - beganNanos);
            }
            woken = false;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void wake() {
        synchronized (lock) {
            woken = true;
            lock.notifyAll();
        }
    }

    @Override
    public void onNotify(Runnable onEvent) {
        synchronized (lock) {
            handler = onEvent;
        }
    }

    @Override
    public boolean arm() {
        synchronized (lock) {
            armed = events.isEmpty();
            return armed;
        }
    }

    /** There is none: selectors are served by {@link #arm}. */
    @Override
    public int descriptor() {
        return -1;
    }

    @Override
    public boolean armDescriptor(boolean quietToo) {
        return false;
    }

    @Override
    public void releaseDescriptor() {
        // there is none
    }

    @Override
    public MemoryRegion register(MemorySegment region, boolean remoteRead, boolean remoteWrite)
            throws FabricException {
        throw new FabricException(FabricException.Cause.UNAVAILABLE, "no RDMA operations");
    }

    @Override
    public boolean postRead(
            long wrId,
            MemoryRegion local,
            long localOffset,
            int lenBytes,
            long remoteAddress,
            int rkey) {
        throw new UnsupportedOperationException("no RDMA operations");
    }

    @Override
    public boolean postWrite(
            long wrId,
            MemoryRegion local,
            long localOffset,
            int lenBytes,
            long remoteAddress,
            int rkey) {
        throw new UnsupportedOperationException("no RDMA operations");
    }
}
