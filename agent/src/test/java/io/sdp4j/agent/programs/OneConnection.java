package io.sdp4j.agent.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Sends one byte to itself and prints it; waits for standard input before that ({@code wait}), or
 * for its end afterwards ({@code stay}).
 */
public final class OneConnection {
    private OneConnection() {}

    public static void main(String[] args) throws IOException {
        if (args.length > 0 && args[0].equals("wait")) {
            System.out.println("waiting");
            int _ = System.in.read();
        }
        System.out.println("byte=" + exchange());
        if (args.length > 0 && args[0].equals("stay")) {
            int _ = System.in.read();
        }
    }

    static int exchange() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket accepted = listener.accept()) {
            accepted.setSoTimeout(10_000);
            client.getOutputStream().write(42);
            return accepted.getInputStream().read();
        }
    }
}
