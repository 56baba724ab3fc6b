package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;

/**
 * Listens, and starts a child JVM that is told the port: {@code CLASSPATH MAIN}.
 *
 * <p>Echoes to the child, then prints its standard output and error together and its exit code.
 */
public final class ParentOfEcho {
    private ParentOfEcho() {}

    /** Starts the child, serves it, prints. */
    public static void main(String[] args) throws IOException, InterruptedException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            Process child =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "-cp",
                                    args[0],
                                    args[1],
                                    "--port",
                                    String.valueOf(listener.getLocalPort()))
                            .redirectErrorStream(true)
                            .start();
            try (Socket socket = listener.accept()) {
                socket.getInputStream().transferTo(socket.getOutputStream());
            }
            child.getInputStream().transferTo(System.out);
            System.out.println("exit=" + child.waitFor());
        }
    }
}
