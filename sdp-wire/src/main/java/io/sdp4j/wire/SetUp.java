package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * The set-up of a machine: Hello and HelloAck, and what both sides have agreed on.
 *
 * <p>Source: docs/protocol.md 3.
 */
abstract sealed class SetUp extends Parts permits SdpMachine {
    SetUp(WireConfig config, boolean connecting) {
        super(config, connecting);
    }

    /**
     * Connecting side: writes Hello at {@code at}; all receive slots must be posted already.
     *
     * @return bytes written: {@link Hello#SHORT_BYTES}
     */
    public int writeHello(MemorySegment to, long at) {
        assert connecting;
        life.onHelloWritten();
        credits.advertised();
        return handshake.writeHello(to, at, credits.bufs());
    }

    /**
     * Accepting side: a Hello came as private data; bytes behind its Len are padding.
     *
     * @param m a private copy
     * @return NONE when accepted; the state is unchanged otherwise
     */
    public HelloFault onHello(MemorySegment m, long at, int availableBytes) {
        if (connecting || state() != State.CLOSED || closed()) {
            return HelloFault.WRONG_TIME;
        }
        HelloFault fault = handshake.onHello(m, at, availableBytes);
        if (fault == HelloFault.NONE) {
            onPeer(m, at);
            life.onHelloAccepted();
        }
        return fault;
    }

    /**
     * Accepting side: writes HelloAck at {@code at}; all receive slots must be posted already.
     *
     * @return bytes written: {@link HelloAck#SHORT_BYTES}
     */
    public int writeHelloAck(MemorySegment to, long at) {
        assert state() == State.HELLO_RCVD && !greeted;
        greeted = true;
        credits.advertised();
        return handshake.writeHelloAck(to, at, credits.bufs());
    }

    /**
     * Connecting side: a HelloAck came as private data.
     *
     * @param m a private copy
     * @return NONE when accepted; the state is unchanged otherwise
     */
    public HelloFault onHelloAck(MemorySegment m, long at, int availableBytes) {
        if (state() != State.HELLO_SENT || greeted) {
            return HelloFault.WRONG_TIME;
        }
        HelloFault fault = handshake.onHelloAck(m, at, availableBytes);
        if (fault == HelloFault.NONE) {
            onPeer(m, at);
            greeted = true;
        }
        return fault;
    }

    private void onPeer(MemorySegment m, long at) {
        credits.granted(Bsdh.bufs(m, at));
    }

    /** Advertisements the peer keeps track of. */
    public int peerMaxAdverts() {
        return handshake.peerMaxAdverts();
    }
}
