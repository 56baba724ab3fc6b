package io.sdp4j.bench.net;

/** A program that opens no socket: what the cost of starting with the agent is measured on. */
public final class Nothing {
    private Nothing() {}

    /** Says that it ran. */
    public static void main(String[] args) {
        System.out.println("READY");
    }
}
