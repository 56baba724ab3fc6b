package io.sdp4j.wire;

/** The two layouts of Hello and HelloAck (docs/protocol.md 2.4 to 2.6). */
public enum HelloForm {
    /** 32 and 28 bytes: wherever private data is small and addresses come from elsewhere. */
    SHORT,
    /** 92 and 196 bytes: only on a native InfiniBand SDP service id. */
    IB
}
