/**
 * The Sockets Direct Protocol as a pure state machine: no thread, clock, socket, randomness or log.
 */
@SuppressWarnings("module") // those that may use it are built after it
module io.sdp4j.wire {
    exports io.sdp4j.wire to
            io.sdp4j,
            io.sdp4j.agent;
}
