package io.sdp4j.fabric.shm;

import io.sdp4j.linux.SelectorLoop;
import io.sdp4j.linux.UidMap;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.file.attribute.UserPrincipal;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;

/** A link over a JDK channel, for where native access is denied. It carries no descriptors. */
final class ChannelPeerSocket extends PeerSocket {
    private static final int DRAIN_BYTES = 256;

    private final SocketChannel channel;
    private final SelectorLoop loop;
    private final long ownUid;
    private final ByteBuffer wakeByte = ByteBuffer.allocateDirect(1);
    private volatile Handler handler;

    /** The thread in {@link #awaitReadable}. */
    private volatile Thread waiting;

    /** The stream has ended or broken: the selector must not tell it for ever. */
    private volatile boolean ended;

    ChannelPeerSocket(SocketChannel channel, SelectorLoop loop, long ownUid) {
        this.channel = channel;
        this.loop = loop;
        this.ownUid = ownUid;
    }

    @Override
    int receive(byte[] into, int off, int len) throws IOException {
        int n = channel.read(ByteBuffer.wrap(into, off, len));
        ended |= n < 0;
        return n;
    }

    @Override
    void send(byte[] bytes, int len, int descriptor, int second) throws IOException {
        if (descriptor >= 0 || second >= 0) {
            throw new IllegalArgumentException("no descriptors here");
        }
        int n = channel.write(ByteBuffer.wrap(bytes, 0, len));
        if (n != len) {
            throw new EOFException("sent " + n + " of " + len + " bytes");
        }
    }

    @Override
    int takeDescriptor() {
        return -1;
    }

    @Override
    boolean drain() {
        try {
            ended |= channel.read(ByteBuffer.allocate(DRAIN_BYTES)) < 0;
        } catch (IOException e) {
            ended = true;
        }
        return !ended;
    }

    @Override
    void ring() {
        try {
            channel.write(wakeByte.duplicate());
        } catch (IOException e) {
            // the peer is gone, which the event thread will see
        }
    }

    @Override
    void watch(Handler next) {
        handler = next;
        loop.watch(channel, SelectionKey.OP_READ, this::dispatch);
    }

    @Override
    void unwatch() {
        handler = null;
        loop.watch(channel, 0, this::dispatch);
    }

    /**
     * Reported again and again until the bytes are read, so every handler must be able to use it.
     */
    private void dispatch() {
        Handler h = handler;
        if (h == null) {
            loop.watch(channel, 0, this::dispatch);
            LockSupport.unpark(waiting);
            return;
        }
        h.onReadable();
        if (ended) {
            loop.watch(channel, 0, this::dispatch);
        }
    }

    @Override
    void awaitReadable(long nanos) {
        waiting = Thread.currentThread();
        loop.watch(channel, SelectionKey.OP_READ, this::dispatch);
        // a set flag would make the park return at once; connecting does not end by an interrupt
        boolean interrupted = Thread.interrupted();
        LockSupport.parkNanos(this, nanos);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    void shutdown() {
        try {
            channel.shutdownOutput();
            channel.shutdownInput();
        } catch (IOException e) {
            // ended already
        }
    }

    @Override
    long peerUid() {
        try {
            UserPrincipal user = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
            boolean own = user.equals(OwnUser.principal(ownUid)) && !UidMap.own().ambiguous(ownUid);
            return own ? ownUid : PeerCredentials.STRANGER;
        } catch (IOException | UnsupportedOperationException | NoClassDefFoundError e) {
            return PeerCredentials.STRANGER; // an image without jdk.net cannot tell
        }
    }

    @Override
    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // nothing to be done
        }
        loop.flushClosed();
    }
}
