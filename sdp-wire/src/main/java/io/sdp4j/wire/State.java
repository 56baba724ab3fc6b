package io.sdp4j.wire;

/**
 * Where one connection stands.
 *
 * <p>LISTEN and RESOLVING of the protocol's table happen before there is a machine, in the shell.
 *
 * <p>Source: docs/protocol.md 12.1.
 */
public enum State {
    /** Nothing sent or accepted yet, or closed before it was established. */
    CLOSED,
    /** Hello written, waiting for HelloAck and for the connection below. */
    HELLO_SENT,
    /** Hello accepted, waiting until the connection below is up or the first message lands. */
    HELLO_RCVD,
    /** Both halves open. */
    ESTABLISHED,
    /** Our half is closing: DisConn not yet completed. */
    FIN_SENDING,
    /** Our half is closed, the peer's is open. */
    FIN_SENT,
    /** The peer's DisConn arrived while ours is not yet completed. */
    FIN_CROSS,
    /** The peer's half is closed, ours is open. */
    PEER_FIN,
    /** The peer closed first, our DisConn is on its way or the grace for the peer runs. */
    LAST_SENDING,
    /** AbortConn is waiting for a credit or for its completion. */
    ABORTING,
    /** The connection below is being closed. */
    LLP_CLOSING,
    /** The connection below is gone after an orderly end. */
    TIME_WAIT,
    /** The session is suspended, to be resumed on another connection (docs/protocol.md 10). */
    SUSPENDED,
    /** Cut; {@link SdpMachine#abortReason()} says why. */
    ERROR
}
