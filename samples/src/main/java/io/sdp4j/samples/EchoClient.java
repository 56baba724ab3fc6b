package io.sdp4j.samples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;

/**
 * Sends lines to an {@link EchoServer} and prints what comes back.
 *
 * <p>Options: {@code --host} (default 127.0.0.1), {@code --port}, {@code --lines} to send (default
 * 3).
 */
public final class EchoClient {
    private EchoClient() {}

    /** Sends, prints, ends. */
    public static void main(String[] args) throws IOException {
        Options options = Options.parse(args, "host", "port", "lines");
        String host = options.text("host", "127.0.0.1");
        int lines = options.number("lines", 3);
        try (Socket socket = new Socket(host, options.number("port", 7));
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
            for (int i = 1; i <= lines; i++) {
                socket.getOutputStream().write(("hello " + i + "\n").getBytes(UTF_8));
                System.out.println(in.readLine());
            }
            socket.shutdownOutput();
            System.out.println(in.readLine() == null ? "end of stream" : "more than expected");
        }
    }
}
