package io.sdp4j.agent.programs;

import java.io.IOException;

/** Makes a connection, then prints {@code System.nanoTime()} and returns. */
public final class LastMoment {
    private LastMoment() {}

    /** Does it. */
    public static void main(String[] args) throws IOException {
        OneConnection.main(args);
        System.out.println(System.nanoTime());
    }
}
