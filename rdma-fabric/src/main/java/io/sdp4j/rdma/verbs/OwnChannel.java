package io.sdp4j.rdma.verbs;

import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.os.Descriptors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The event channel of one connecting thread, which takes its events itself: by way of the event
 * thread each of them would cost two more hand-overs between threads than the kernel's own.
 *
 * <p>Shape: lent by {@link CmChannel} for one attempt. One id at a time lives here, until it is
 * connected or destroyed, so there is never an event of anybody else's. For one thread at a time.
 */
final class OwnChannel {
    private final RdmaCm cm;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment scratch = arena.allocate(Descriptors.AWAIT_BYTES, 8);
    private final long channel;
    private final int fd;

    /**
     * @throws FabricException if there is no more of something
     */
    OwnChannel(RdmaCm cm) throws FabricException {
        this.cm = cm;
        channel = cm.createEventChannel();
        if (channel < 0) {
            arena.close();
            throw Failures.noChannel((int) channel);
        }
        fd = RdmaEventChannel.fd(Bindings.at(channel, RdmaEventChannel.LAYOUT));
        Descriptors.nonBlocking(fd);
    }

    long address() {
        return channel;
    }

    /** The next event, after a sleep if there is none; null if there is none in time. */
    CmEvent await(long nanos) {
        return Descriptors.await(scratch, fd, -1, nanos) == 0 ? null : CmChannel.take(cm, channel);
    }

    /** No id is left here. */
    void close() {
        cm.destroyEventChannel(channel);
        arena.close();
    }
}
