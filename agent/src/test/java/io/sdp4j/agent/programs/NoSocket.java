package io.sdp4j.agent.programs;

/** Does nothing. */
public final class NoSocket {
    private NoSocket() {}

    public static void main(String[] args) {}
}
