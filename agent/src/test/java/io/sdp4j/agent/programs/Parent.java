package io.sdp4j.agent.programs;

import java.io.IOException;
import java.nio.file.Path;

/** Uses a socket, then runs {@link OneConnection} in a JVM without the agent, as build tools do. */
public final class Parent {
    private Parent() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        int _ = OneConnection.exchange();
        Process child =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                OneConnection.class.getName())
                        .inheritIO()
                        .start();
        System.exit(child.waitFor());
    }
}
