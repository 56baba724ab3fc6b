package io.sdp4j.agent.cli;

/** Something that a command needs is not there; the message says what and how to get it. */
final class Unavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unavailable(String message) {
        super(message);
    }
}
