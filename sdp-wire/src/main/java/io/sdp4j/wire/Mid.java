package io.sdp4j.wire;

import java.util.Arrays;

/**
 * Message identifiers, compared on all eight bits.
 *
 * <p>Source: docs/protocol.md 2.2.
 */
public final class Mid {
    /** First message of the connecting peer, outside the stream. */
    public static final int HELLO = 0x00;

    /** Its answer. */
    public static final int HELLO_ACK = 0x01;

    /** Orderly end of the sender's half. */
    public static final int DISCONN = 0x02;

    /** Takes an earlier DisConn back: the stream was cut. */
    public static final int ABORT_CONN = 0x03;

    /** The Sink asks for the rest of a SrcAvail as Data. */
    public static final int SEND_SM = 0x04;

    /** RDMA Writes into a SinkAvail are done. */
    public static final int RDMA_WR_COMPL = 0x05;

    /** RDMA Reads from a SrcAvail are done. */
    public static final int RDMA_RD_COMPL = 0x06;

    /** New mode of a half-connection. */
    public static final int MODE_CHANGE = 0x07;

    /** The Source withdraws all its SrcAvails. */
    public static final int SRC_AVAIL_CANCEL = 0x08;

    /** The Sink withdraws all its SinkAvails. */
    public static final int SINK_AVAIL_CANCEL = 0x09;

    /** The Source has given up the SinkAvails that were withdrawn. */
    public static final int SINK_CANCEL_ACK = 0x0A;

    /** Wish for another size of the peer's receive buffers. */
    public static final int CH_RCV_BUF = 0x0B;

    /** The size that resulted. */
    public static final int CH_RCV_BUF_ACK = 0x0C;

    /** Suspend the session. */
    public static final int SUSP_COMM = 0x0D;

    /** Suspended. */
    public static final int SUSP_COMM_ACK = 0x0E;

    /** A buffer that may be written into. */
    public static final int SINK_AVAIL = 0xFD;

    /** A buffer that may be read from. */
    public static final int SRC_AVAIL = 0xFE;

    /** Stream bytes, or a credit update when empty. */
    public static final int DATA = 0xFF;

    private static final String[] LOW = {
        "Hello",
        "HelloAck",
        "DisConn",
        "AbortConn",
        "SendSm",
        "RdmaWrCompl",
        "RdmaRdCompl",
        "ModeChange",
        "SrcAvailCancel",
        "SinkAvailCancel",
        "SinkCancelAck",
        "ChRcvBuf",
        "ChRcvBufAck",
        "SuspComm",
        "SuspCommAck"
    };

    private static final int RESERVED = -1;

    /** Bytes after the BSDH, by MID: header bytes, plus PAYLOAD when stream bytes may follow. */
    private static final byte[] SHAPES = new byte[256];

    private static final int PAYLOAD = 0x40;

    static {
        Arrays.fill(SHAPES, (byte) RESERVED);
        SHAPES[HELLO] = PAYLOAD;
        SHAPES[HELLO_ACK] = PAYLOAD;
        for (int mid = DISCONN; mid <= SUSP_COMM_ACK; mid++) {
            SHAPES[mid] = 0;
        }
        SHAPES[RDMA_WR_COMPL] = 4;
        SHAPES[RDMA_RD_COMPL] = 4;
        SHAPES[MODE_CHANGE] = 4;
        SHAPES[CH_RCV_BUF] = 4;
        SHAPES[CH_RCV_BUF_ACK] = 4;
        SHAPES[SUSP_COMM] = 8;
        for (int mid = 0x40; mid <= 0x7F; mid++) {
            SHAPES[mid] = PAYLOAD;
        }
        SHAPES[SINK_AVAIL] = PAYLOAD | 20;
        SHAPES[SRC_AVAIL] = PAYLOAD | 16;
        SHAPES[DATA] = PAYLOAD;
    }

    private Mid() {}

    /** The protocol's name of {@code mid}, or what range it lies in. */
    public static String name(int mid) {
        return switch (mid) {
            case SINK_AVAIL -> "SinkAvail";
            case SRC_AVAIL -> "SrcAvail";
            case DATA -> "Data";
            default -> {
                if (mid >= 0 && mid < LOW.length) {
                    yield LOW[mid];
                }
                yield (experimental(mid) ? "experimental 0x" : "reserved 0x")
                        + Integer.toHexString(mid);
            }
        };
    }

    /** Whether {@code mid} lies in the range that is never used for anything permanent. */
    public static boolean experimental(int mid) {
        return mid >= 0x40 && mid <= 0x7F;
    }

    /**
     * Whether {@code mid} (0..255) may come after set-up: Hello and HelloAck are checked elsewhere.
     */
    static boolean known(int mid) {
        return SHAPES[mid] != RESERVED;
    }

    /**
     * Bytes of the extended header of a known {@code mid}; the fields of Hello and HelloAck count
     * as payload.
     */
    static int extendedBytes(int mid) {
        return SHAPES[mid] & ~PAYLOAD;
    }

    /** Whether stream bytes may follow the headers. */
    static boolean mayCarryPayload(int mid) {
        return (SHAPES[mid] & PAYLOAD) != 0;
    }
}
