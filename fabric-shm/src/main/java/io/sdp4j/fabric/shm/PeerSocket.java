package io.sdp4j.fabric.shm;

import java.io.IOException;

/**
 * The Unix-domain socket of one connection: hand-shake first, then wake-up bytes, and the sign of
 * the peer's end.
 *
 * <p>Non-blocking throughout. {@link #ring}, {@link #shutdown} and {@link #close} may come from any
 * thread, but nothing may be called during or after {@code close}.
 */
abstract class PeerSocket {
    /** Told on the event thread what happens on the socket. */
    interface Handler {
        /** Something can be received; called again only after new bytes came. */
        void onReadable();

        /** The peer is gone; bytes that it sent before may still be there. */
        void onHangup();
    }

    /**
     * Receives what is there: a count, 0 = nothing now, -1 = end of stream.
     *
     * @throws IOException if the connection broke
     */
    abstract int receive(byte[] into, int off, int len) throws IOException;

    /**
     * Sends all of it, which a fresh socket always takes.
     *
     * @param descriptor passed along, unless negative; stays the caller's
     * @param second likewise
     */
    abstract void send(byte[] bytes, int len, int descriptor, int second) throws IOException;

    final void send(byte[] bytes, int len, int descriptor) throws IOException {
        send(bytes, len, descriptor, -1);
    }

    /** The first descriptor that was received and not taken, now the caller's, or -1. */
    abstract int takeDescriptor();

    /**
     * Takes some of the wake-up bytes that came; false if the peer is gone. One thread at a time.
     */
    abstract boolean drain();

    /**
     * Takes some of the wake-up bytes, for a caller that watches {@link #descriptor} instead of
     * using the handler; the handler is told of the end. Allocates nothing.
     *
     * @return whether anything had come
     */
    boolean discard() {
        throw new UnsupportedOperationException();
    }

    /**
     * Whether {@link #drain} met {@link ShmTransport#FREE} since the last call, on a link not
     * watched.
     */
    boolean takeFree() {
        return false;
    }

    /** Sends one byte if there is room. */
    abstract void ring();

    /** Starts calls to {@code handler}, or sends them to another one. */
    abstract void watch(Handler handler) throws IOException;

    /** Ends the calls to the handler until {@link #watch} is called again. */
    abstract void unwatch();

    /** Waits at most {@code nanos} for something to receive, on a link that is not watched. */
    abstract void awaitReadable(long nanos);

    /** Whether there is something to receive; only where there is a descriptor. Any thread. */
    boolean readable() {
        throw new UnsupportedOperationException();
    }

    /**
     * On the event thread: the peer's next word is about to come; {@code nanos} of busy polling are
     * cheaper than a sleep. 0 = it came.
     */
    void expect(long nanos) {
        // a selector cannot look without a system call that costs as much as a sleep
    }

    /** Descriptor that another epoll can watch for bytes, or -1. */
    int descriptor() {
        return -1;
    }

    /**
     * Whether the handler is told of bytes. It always is of the end. Only where there is a
     * descriptor.
     */
    void tellOfBytes(boolean tell) {
        throw new UnsupportedOperationException();
    }

    /** Lets the peer see the end now. */
    abstract void shutdown();

    abstract void close();

    /**
     * The user at the other end by the kernel's word, or {@link PeerCredentials#STRANGER}. For a
     * listener's link, who called listen.
     */
    abstract long peerUid();

    /** The process at the other end as this one sees it; 0 = not told, or not visible from here. */
    int peerPid() {
        return 0;
    }

    /** Both, for people. */
    final String peerName() {
        int pid = peerPid();
        return (pid > 0 ? "process " + pid : "a process")
                + " of "
                + PeerCredentials.user(peerUid());
    }
}
