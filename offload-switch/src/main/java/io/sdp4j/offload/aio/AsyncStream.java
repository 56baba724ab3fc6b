package io.sdp4j.offload.aio;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.SwitchCounters;
import io.sdp4j.offload.spi.OffloadStream;
import java.nio.channels.ClosedChannelException;

/**
 * Asynchronous reads and writes, half-close and close on top of one {@link OffloadStream}.
 *
 * <p>Every thread that uses the stream is inside {@code gate}; the last one that leaves after
 * {@link #close} gives the stream back. Thread-safe.
 */
final class AsyncStream {
    final OffloadStream stream;
    final SwitchChannelGroup group;
    final Gate gate = new Gate(this::release);
    final Direction reads = new Direction(this, true);
    final Direction writes = new Direction(this, false);
    final Readiness readiness = new Readiness(this);

    final AsyncConnection channel; // closed by a forced cancel
    private final SwitchCounters counters;
    private volatile ConnectionInfo last; // what the stream said before it was given back

    AsyncStream(
            OffloadStream stream,
            SwitchChannelGroup group,
            SwitchCounters counters,
            AsyncConnection channel) {
        this.stream = stream;
        this.group = group;
        this.counters = counters;
        this.channel = channel;
        counters.took(stream);
    }

    // --- half-close and close ---

    /** Forbids reads and writes, as the connect was cancelled. */
    void kill() {
        reads.kill();
        writes.kill();
    }

    /** Sets whether an idle peer is probed. Does nothing once the stream is being closed. */
    void keepAlive(boolean on) {
        if (gate.enter()) {
            try {
                stream.keepAlive(on);
            } finally {
                gate.leave();
            }
        }
    }

    void shutDown(Direction direction) throws ClosedChannelException {
        if (!gate.enter()) {
            throw new ClosedChannelException();
        }
        try {
            synchronized (this) {
                if (direction.isShut()) {
                    return;
                }
                direction.shutDown();
                if (direction == reads) {
                    stream.shutdownInput();
                } else {
                    stream.shutdownOutput();
                }
            }
        } finally {
            gate.leave();
        }
        readiness.again(); // so that a waiting operation notices
    }

    /** Closes the stream; waiting operations fail. Idempotent, does not block. */
    void close() {
        gate.close();
    }

    /**
     * Closes the stream first: once an operation has failed, the application may use its buffers
     * again, and nothing may touch them any more. Leaves the group last: its threads live as long
     * as it has a member, and the handlers of waiting operations need one.
     */
    private void release() {
        try {
            readiness.end();
            last = stream.info();
            counters.closing(stream);
            stream.close(false);
        } finally {
            try {
                reads.closed();
            } finally {
                try {
                    writes.closed();
                } finally {
                    group.remove(channel);
                }
            }
        }
    }

    ConnectionInfo info() {
        if (!gate.enter()) {
            return last;
        }
        try {
            return stream.info();
        } finally {
            gate.leave();
        }
    }
}
