package io.sdp4j.offload.contract.nio;

import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * One end of a connection in a {@link RandomProgram}, and what must be true of it: enough to know
 * what to wait for before looking, so that what is seen does not depend on time.
 */
final class End {
    final String name;
    final SocketChannel channel;
    End peer;

    /** Bytes written by this end and by the other end not yet read here; positions in a pattern. */
    long sent;

    long received;
    boolean outputShut;
    boolean inputShut;
    boolean closed;

    /** Closed, but abruptly. */
    boolean aborted;

    /** The reset of the peer has been told here, by a read or by a write. */
    boolean resetRead;

    boolean resetWritten;

    /** A write has met a peer that is gone. */
    boolean wroteToClosed;

    SelectionKey key;

    End(String name, SocketChannel channel) {
        this.name = name;
        this.channel = channel;
    }

    long unread() {
        return peer.sent - received;
    }

    /** Whether the stream from the peer is over, in order or not. */
    boolean over() {
        return peer.outputShut || peer.closed;
    }

    /** Readiness that a selector must find once everything has arrived. */
    int readyOps() {
        boolean readable = inputShut || unread() > 0 || over();
        return (readable ? SelectionKey.OP_READ : 0) | SelectionKey.OP_WRITE;
    }

    /** The byte at a position of what this end sends. */
    byte pattern(long at) {
        return (byte) (at * 31 + (at >> 8) + name.hashCode());
    }
}
