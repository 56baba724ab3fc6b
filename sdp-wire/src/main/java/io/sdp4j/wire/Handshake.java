package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Set-up of one connection: writes our half of Hello and HelloAck and keeps what the peer's half
 * said.
 *
 * <p>Source: docs/protocol.md 3.3 to 3.5.
 */
final class Handshake {
    private final WireConfig config;

    // what the peer said, 0 until it did
    private int peerReceiveBytes;
    private int peerMaxAdverts;
    private int ord;
    int ird;

    Handshake(WireConfig config) {
        this.config = config;
        this.ord = config.ord();
        this.ird = config.ird();
    }

    int writeHello(MemorySegment to, long at, int bufs) {
        int bytes = config.receiveBytes();
        return Hello.writeShort(
                to, at, bufs, config.maxAdverts(), bytes, bytes, config.ord(), config.ird());
    }

    HelloFault onHello(MemorySegment m, long at, int availableBytes) {
        HelloFault fault = Hello.check(m, at, availableBytes);
        if (fault != HelloFault.NONE) {
            return fault;
        }
        peerReceiveBytes = Hello.receiveBytes(m, at);
        peerMaxAdverts = Hello.maxAdverts(m, at);
        agreeOnReads(Hello.ord(m, at), Hello.ird(m, at));
        return HelloFault.NONE;
    }

    int writeHelloAck(MemorySegment to, long at, int bufs) {
        return HelloAck.writeShort(
                to, at, bufs, config.maxAdverts(), config.receiveBytes(), ord, ird);
    }

    HelloFault onHelloAck(MemorySegment m, long at, int availableBytes) {
        HelloFault fault = HelloAck.check(m, at, availableBytes);
        if (fault != HelloFault.NONE) {
            return fault;
        }
        peerReceiveBytes = HelloAck.receiveBytes(m, at);
        peerMaxAdverts = HelloAck.maxAdverts(m, at);
        agreeOnReads(HelloAck.ord(m, at), HelloAck.ird(m, at));
        return HelloFault.NONE;
    }

    /** Own ORD must not exceed the peer's IRD; own IRD need not exceed its ORD (3.4). */
    private void agreeOnReads(int peerOrd, int peerIrd) {
        ord = Math.min(config.ord(), peerIrd);
        ird = Math.min(config.ird(), peerOrd);
    }

    /** Size of our receive buffers. */
    int receiveBytes() {
        return config.receiveBytes();
    }

    /**
     * Size of the peer's receive buffers; 2^31, which fits no int, becomes the largest that does.
     */
    int peerReceiveBytes() {
        return peerReceiveBytes < 0 ? Integer.MAX_VALUE : peerReceiveBytes;
    }

    int peerMaxAdverts() {
        return peerMaxAdverts;
    }

    int ord() {
        return ord;
    }
}
