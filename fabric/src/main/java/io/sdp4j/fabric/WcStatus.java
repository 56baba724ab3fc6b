package io.sdp4j.fabric;

/** How a work request ended; the names are those of {@code enum ibv_wc_status}. */
public enum WcStatus {
    SUCCESS,
    /** The message was longer than the posted receive buffer. */
    LOC_LEN_ERR,
    /** A local key or bound was wrong. */
    LOC_PROT_ERR,
    /** The queue pair went to error before this request ran. */
    WR_FLUSH_ERR,
    /** The remote key, bound or permission was wrong. */
    REM_ACCESS_ERR,
    /** The peer could not carry out a legal request. */
    REM_OP_ERR,
    /** The peer's request broke the protocol of the fabric. */
    REM_INV_REQ_ERR,
    /** The peer is known to be gone: its process has died. */
    RETRY_EXC_ERR,
    /** The peer did not answer until the fabric gave up: link cut, host down, process dead. */
    RESP_TIMEOUT_ERR,
    /** A message found no posted receive buffer. */
    RNR_RETRY_EXC_ERR,
    /** The device or the fabric itself failed. */
    FATAL_ERR;

    /** Whether the peer did not answer in time, which TCP reports as ETIMEDOUT. */
    public boolean timedOut() {
        return this == RESP_TIMEOUT_ERR || this == RNR_RETRY_EXC_ERR;
    }
}
