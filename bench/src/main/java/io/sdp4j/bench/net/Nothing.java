package io.sdp4j.bench.net;

/** A program that opens no socket: the cost of starting with the agent is measured on it. */
public final class Nothing {
    private Nothing() {}

    public static void main(String[] args) {
        System.out.println("READY");
    }
}
