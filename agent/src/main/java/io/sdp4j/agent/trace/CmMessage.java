package io.sdp4j.agent.trace;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Messages of the InfiniBand connection manager, as the content of a datagram: DETH and MAD.
 *
 * <p>Source: InfiniBand Architecture 1, 12.6; docs/protocol.md 3.1 for what SDP puts into them.
 *
 * <p>Fields that no SDP conversation over another fabric has are what the InfiniBand
 * implementations send.
 */
record CmMessage(int number, InetSocketAddress connecting, InetSocketAddress accepting) {
    private static final int GENERAL_SERVICES_KEY = 0x8001_0000;
    private static final int DETH_BYTES = 8;
    private static final int MAD_BYTES = 256;
    private static final int MAD_HEADER_BYTES = 24;
    private static final int REQ = 0x0010;
    private static final int REP = 0x0013;
    private static final int RTU = 0x0014;
    private static final int DREQ = 0x0015;
    private static final int DREP = 0x0016;
    private static final int REQ_PRIVATE = 140;
    private static final int REP_PRIVATE = 36;
    private static final int READS = 4;
    private static final long SDP_SERVICE = 0x0000_0000_0001_0000L;

    /** General services interface: connection managers talk on this queue pair. */
    static final int QUEUE_PAIR = 1;

    /**
     * Whence messages without SDP come. From the other queue pair, the dissector would take the
     * zeros of their private data for a Hello.
     */
    private static final int SILENT_QUEUE_PAIR = 2;

    /** Queue pair of one side. */
    int queuePair(boolean ofConnecting) {
        return ((ofConnecting ? 0x1000 : 0x1001) + 2 * number) & 0xFF_FFFF;
    }

    private int connectingId() {
        return 2 * number;
    }

    private int acceptingId() {
        return 2 * number + 1;
    }

    /** Connection request with Hello. */
    byte[] req(byte[] hello) {
        ByteBuffer m = mad(REQ, true);
        int data = m.position();
        m.putInt(connectingId()).putInt(0).putLong(SDP_SERVICE | (accepting.getPort() & 0xFFFF));
        m.putLong(connectingId()).putInt(0).putInt(0); // CA GUID
        m.putInt(queuePair(true) << 8 | READS)
                .putInt(READS); // responder resources; initiator depth
        m.putInt(20 << 3 | 1); // response timeout, RC, flow control
        m.putInt(20 << 3 | 7); // PSN 0, response timeout, retries
        m.putShort((short) 0xFFFF).put((byte) (5 << 4)).put((byte) (15 << 4)); // MTU; CM retries
        m.putShort((short) 0).putShort((short) 0); // no LIDs
        m.put(RoceFrame.gid(connecting)).put(RoceFrame.gid(accepting));
        m.putInt(0).put((byte) 0).put((byte) 64).put((byte) 0).put((byte) (18 << 3));
        m.position(data + REQ_PRIVATE); // no alternate path
        return bytes(m.put(hello));
    }

    /** Connection reply with HelloAck. */
    byte[] rep(byte[] helloAck) {
        ByteBuffer m = mad(REP, false);
        int data = m.position();
        m.putInt(acceptingId()).putInt(connectingId()).putInt(0).putInt(queuePair(false) << 8);
        m.putInt(0).putInt(0).put((byte) READS).put((byte) READS);
        m.put((byte) 1).put((byte) 0).putLong(acceptingId()); // flow control; CA GUID
        m.position(data + REP_PRIVATE);
        return bytes(m.put(helloAck));
    }

    /** Ready to use. */
    byte[] rtu() {
        return bytes(ids(RTU, true));
    }

    /** Disconnect request. */
    byte[] dreq(boolean fromConnecting) {
        return bytes(ids(DREQ, fromConnecting).putInt(queuePair(!fromConnecting) << 8));
    }

    /** Its answer. */
    byte[] drep(boolean fromConnecting) {
        return bytes(ids(DREP, fromConnecting));
    }

    private static byte[] bytes(ByteBuffer datagram) {
        byte[] bytes = new byte[datagram.capacity()];
        datagram.get(0, bytes);
        return bytes;
    }

    private ByteBuffer ids(int attribute, boolean fromConnecting) {
        return mad(attribute, fromConnecting)
                .putInt(fromConnecting ? connectingId() : acceptingId())
                .putInt(fromConnecting ? acceptingId() : connectingId());
    }

    /** DETH and the MAD's header; the transaction is that of the end that began it. */
    private ByteBuffer mad(int attribute, boolean fromConnecting) {
        ByteBuffer b = ByteBuffer.allocate(DETH_BYTES + MAD_BYTES);
        boolean greets = attribute == REQ || attribute == REP;
        b.putInt(GENERAL_SERVICES_KEY).putInt(greets ? QUEUE_PAIR : SILENT_QUEUE_PAIR);
        boolean answer = attribute == REP || attribute == DREP;
        long transaction = fromConnecting != answer ? connectingId() : acceptingId();
        b.put((byte) 1).put((byte) 7).put((byte) 2).put((byte) 3); // CM class, version 2, Send
        b.putInt(0).putLong(transaction).putShort((short) attribute);
        b.position(DETH_BYTES + MAD_HEADER_BYTES);
        return b;
    }
}
