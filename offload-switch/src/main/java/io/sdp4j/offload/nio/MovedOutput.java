package io.sdp4j.offload.nio;

import io.sdp4j.offload.ConnectThreads;
import io.sdp4j.offload.jdk.ChannelBridge;
import io.sdp4j.offload.spi.OffloadStream;
import java.lang.ref.WeakReference;
import java.nio.channels.SelectionKey;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Readiness of output that goes by the stream while selectors watch the kernel's socket, by which
 * input still comes. The socket always has room then, and the stream may have none. Then the socket
 * is not watched for room, and the stream makes selectors ask again.
 *
 * <p>Stateless; used by threads that select.
 */
final class MovedOutput {
    private MovedOutput() {}

    /**
     * For {@code translateInterestOps}: those of {@code ops} for which the kernel's socket is to be
     * watched.
     */
    static int watched(SwitchedConnection connection, int ops) {
        ChannelStream stream = (ops & SelectionKey.OP_WRITE) == 0 ? null : connection.movedOutput();
        if (stream == null) {
            return ops;
        }
        WeakReference<SwitchedConnection> asked = new WeakReference<>(connection);
        Runnable onRoom =
                () -> {
                    SwitchedConnection c = asked.get();
                    // Not here: this thread may hold a lock of the stream, for which a selector
                    // that holds its own waits above.
                    if (c != null && !ConnectThreads.startShort(c::roomInStream)) {
                        c.roomInStream();
                    }
                };
        return stream.arm(OffloadStream.WRITE, onRoom) ? ops & ~SelectionKey.OP_WRITE : ops;
    }

    /**
     * For {@code translateReadyOps}, after the kernel's channel has said what is ready.
     *
     * @param initialOps what was ready before
     * @return whether more is ready than before
     */
    static boolean ready(
            SwitchedConnection connection,
            int initialOps,
            int before,
            boolean more,
            SelectionKeyImpl key) {
        int now = key.nioReadyOps();
        if ((now & ~initialOps & SelectionKey.OP_WRITE) == 0) {
            return more;
        }
        ChannelStream stream = connection.movedOutput();
        if (stream == null || (stream.ready() & OffloadStream.WRITE) != 0) {
            return more;
        }
        int left = now & ~SelectionKey.OP_WRITE;
        key.nioReadyOps(left);
        ChannelBridge.queueUpdate(key);
        return (left & ~before) != 0;
    }
}
