package io.sdp4j.agent.cli;

/** Exit codes. They are an interface: the README lists them. */
final class Exit {
    static final int OK = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int UNAVAILABLE = 69;
    static final int FAULT = 70;
    static final int CANNOT_EXECUTE = 126;
    static final int NOT_FOUND = 127;

    private Exit() {}
}
