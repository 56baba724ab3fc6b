package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.Descriptors;
import io.sdp4j.linux.Linux;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The event channel of one connecting thread, which takes its events itself: by way of the event
 * thread each of them would cost two more hand-overs between threads than the kernel's own.
 *
 * <p>Shape: lent by {@link CmChannel} for one attempt. One id at a time lives here, until it is
 * connected or destroyed, so there is never an event of anybody else's. For one thread at a time.
 */
final class ConnectChannel {
    private final RdmaCm cm;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment scratch = arena.allocate(Descriptors.AWAIT_BYTES, 8);
    private final long channel;
    private final int fd;

    /** Whether {@link #take} waits for an event. */
    private boolean waiting;

    /** Descriptor by which another thread ends a sleep; below 0 until it is needed. */
    private int rouseFd = -1;

    /**
     * @throws FabricException if there is no more of something
     */
    ConnectChannel(RdmaCm cm) throws FabricException {
        this.cm = cm;
        channel = cm.createEventChannel();
        if (channel < 0) {
            arena.close();
            throw VerbsFailures.noChannel((int) channel);
        }
        fd = RdmaEventChannel.fd(Bindings.at(channel, RdmaEventChannel.LAYOUT));
        Descriptors.nonBlocking(fd);
    }

    long address() {
        return channel;
    }

    /** From now on {@link #take} waits for an event, or does not. */
    void waiting(boolean wanted) {
        if (waiting != wanted) {
            waiting = wanted;
            if (wanted) {
                Descriptors.freshBlocking(fd);
            } else {
                Descriptors.freshNonBlocking(fd);
            }
        }
    }

    /** The next event; null if there is none yet, or a signal has ended the wait for it. */
    CmEvent take() {
        return CmChannel.take(cm, channel);
    }

    /**
     * From now on another thread may {@link #rouse}.
     *
     * @throws FabricException if there is no more of something
     */
    void rousable() throws FabricException {
        if (rouseFd < 0) {
            rouseFd = Descriptors.eventFd();
        }
        if (rouseFd < 0) {
            throw VerbsFailures.of("no eventfd", rouseFd);
        }
    }

    /** Ends the sleep under way, and each one that follows until {@link #calm}. Any thread. */
    void rouse() {
        Descriptors.signal(rouseFd);
    }

    void calm() {
        if (rouseFd >= 0) {
            Descriptors.drain(rouseFd);
        }
    }

    /**
     * Sleeps until there is an event, {@link #rouse} is called, or the time is over; returns how
     * long that was, in nanoseconds.
     */
    long await(long nanos) {
        boolean there = Descriptors.await(scratch, fd, rouseFd, nanos) != 0;
        return there ? Math.max(0, nanos - Descriptors.leftNanos(scratch)) : nanos;
    }

    /** No id is left here. */
    void close() {
        cm.destroyEventChannel(channel);
        if (rouseFd >= 0) {
            Linux.close(rouseFd);
        }
        arena.close();
    }
}
