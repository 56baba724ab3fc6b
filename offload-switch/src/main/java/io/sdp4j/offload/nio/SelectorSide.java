package io.sdp4j.offload.nio;

import io.sdp4j.offload.ConnectThreads;
import io.sdp4j.offload.jdk.ChannelBridge;
import io.sdp4j.offload.jdk.ReadinessEpoll;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.channels.SelectionKey;
import sun.nio.ch.ConnectionChannel;
import sun.nio.ch.ConnectionSwitch;
import sun.nio.ch.SelectionKeyImpl;

/**
 * One connection as selectors see it: the kernel's socket as long as the kernel carries it, nothing
 * while an attempt runs, then the stream.
 *
 * <p>Shape: once an offloaded channel does not block, {@code notifyFd} takes over the number of its
 * descriptor; so the number that selectors know never changes (behaviour 42).
 *
 * <p>The connection's state lock guards every field without another remark.
 */
final class SelectorSide {
    private final SwitchedConnection connection;
    private final ConnectionChannel channel;
    private final boolean byProvider; // accepted from a provider, not from the kernel
    final KnownSelectors selectors;
    private volatile ReadinessFd notifyFd; // set once
    private ReadinessEpoll prepared; // for notifyFd, before the connection has moved; else null
    boolean wanted; // the channel does not block

    SelectorSide(SwitchedConnection connection, boolean byProvider) {
        this.connection = connection;
        this.channel = connection.channel;
        this.byProvider = byProvider;
        this.selectors = new KnownSelectors(channel);
    }

    /**
     * Takes the descriptors that {@link #follow} needs after a move, when there is no way back to
     * TCP.
     *
     * @param provided of the stream that it moves to
     */
    void prepare(int provided) throws IOException {
        assert Thread.holdsLock(connection.stateLock);
        if (prepared == null) {
            connection.port.takeSpare();
            try {
                prepared = new ReadinessEpoll(provided);
            } finally {
                if (prepared == null) {
                    connection.port.closeSpare();
                }
            }
        }
    }

    /** Shows selectors the stream, if there is one, while the channel is non-blocking. */
    void follow() throws IOException {
        if (wanted) {
            makeReadinessFd();
        } else if (notifyFd != null) {
            notifyFd.rest();
        }
    }

    private void makeReadinessFd() throws IOException {
        assert Thread.holdsLock(connection.stateLock);
        ChannelStream stream = connection.stream;
        if (notifyFd != null || stream == null || !channel.isOpen()) {
            return;
        }
        ReadinessEpoll epoll = prepared != null ? prepared : new ReadinessEpoll(stream.notifyFd());
        ReadinessFd made = new ReadinessFd(connection, stream, epoll);
        prepared = null;
        boolean complete = false;
        try {
            FileDescriptor number = channel.descriptor();
            if (byProvider) {
                connection.options.answeredByCopy();
            } else {
                connection.port.keep(number, connection.moving == null && selectors.polled());
            }
            epoll.moveOver(number);
            complete = true;
        } finally {
            if (!complete) {
                made.close();
            }
        }
        notifyFd = made;
    }

    /** Something on this side has changed what is ready. */
    void settle() {
        if (notifyFd != null) {
            notifyFd.settle();
        }
    }

    /** The channel is being closed. */
    void silence() {
        if (notifyFd != null) {
            notifyFd.silence();
        }
    }

    /** Frees what {@link #prepare} took, because no move will need it. */
    void closePrepared() throws IOException {
        assert Thread.holdsLock(connection.stateLock);
        connection.port.closeSpare();
        if (prepared != null) {
            prepared.close();
            prepared = null;
        }
    }

    /** Closes what selectors looked at, after the last of them has forgotten it. */
    void killed() {
        try {
            if (notifyFd != null) {
                notifyFd.close();
            }
        } catch (IOException e) {
            // as the JDK: no caller is left to be told
        }
    }

    // --- what selectors ask ---

    /** Refuses to give a descriptor that does not carry the connection. */
    void checkDescriptor() {
        if (byProvider && notifyFd == null) {
            throw new UnsupportedOperationException(
                    "the connection is offloaded and has no socket of the kernel's that carries it;"
                            + " a rule 'use tcp' for it gives it one");
        }
    }

    /** See {@link ConnectionSwitch#interest}. */
    int interest(int ops) {
        // Asked first: a thread that offloads this channel from here on finds the key that asks,
        // and waits for the answer.
        if (selectors.forgetting()) {
            return 0;
        }
        ReadinessFd d = notifyFd;
        if (d != null) {
            return selectors.unknownToAsker() ? 0 : d.translateInterest(ops);
        }
        // While an attempt runs nothing is ready; its end makes selectors ask again.
        if (connection.trying()) {
            return 0;
        }
        int events = channel.kernelInterest(watchedByKernel(ops));
        if (events == 0 && ops != 0) {
            selectors.noteAsker();
        }
        return selectors.interestInKernel(events);
    }

    /**
     * Whether output goes by the stream while selectors watch the kernel's socket, by which input
     * still comes. The socket always has room then, and the stream may have none. Then the socket
     * is not watched for room, and the stream makes selectors ask again.
     */
    private boolean onlyOutputMoved() {
        MovingChannel m = connection.moving;
        return m != null && m.handover.outMoved() && notifyFd == null;
    }

    /** Those of {@code ops} for which the kernel's socket is to be watched. */
    private int watchedByKernel(int ops) {
        if ((ops & SelectionKey.OP_WRITE) == 0 || !onlyOutputMoved()) {
            return ops;
        }
        WeakReference<SelectorSide> asked = new WeakReference<>(this);
        Runnable onRoom =
                () -> {
                    SelectorSide s = asked.get();
                    // Not here: this thread may hold a lock of the stream, for which a selector
                    // that holds its own waits above.
                    if (s != null && !ConnectThreads.startShort(s::roomInStream)) {
                        s.roomInStream();
                    }
                };
        boolean armed = connection.stream.arm(OffloadStream.WRITE, onRoom);
        return armed ? ops & ~SelectionKey.OP_WRITE : ops;
    }

    /** The stream may take something again, or has ended. */
    private void roomInStream() {
        if (notifyFd == null && channel.isOpen()) {
            selectors.nudge();
        }
    }

    /** See {@link ConnectionSwitch#ready}. */
    boolean ready(int ops, int initialOps, SelectionKeyImpl key) {
        ReadinessFd d = notifyFd;
        if (d != null) {
            return d.translateReady(initialOps, key);
        }
        if (connection.trying()) {
            key.nioReadyOps(initialOps);
            ChannelBridge.queueUpdate(key); // the kernel's socket is registered still
            return false;
        }
        int before = key.nioReadyOps();
        boolean more = channel.kernelReady(ops, initialOps, key);
        int now = key.nioReadyOps();
        if ((now & ~initialOps & SelectionKey.OP_WRITE) == 0
                || !onlyOutputMoved()
                || (connection.stream.ready() & OffloadStream.WRITE) != 0) {
            return more;
        }
        int left = now & ~SelectionKey.OP_WRITE;
        key.nioReadyOps(left);
        ChannelBridge.queueUpdate(key);
        return (left & ~before) != 0;
    }
}
