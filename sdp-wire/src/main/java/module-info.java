/**
 * The Sockets Direct Protocol as a pure state machine: no thread, clock, socket, randomness or log.
 */
module io.sdp4j.wire {
    exports io.sdp4j.wire;
}
