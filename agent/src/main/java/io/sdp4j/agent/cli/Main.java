package io.sdp4j.agent.cli;

/** stub */
public final class Main {
    private Main() {}

    public static int run(String[] args) {
        System.out.println("hello " + args.length);
        return 0;
    }
}
