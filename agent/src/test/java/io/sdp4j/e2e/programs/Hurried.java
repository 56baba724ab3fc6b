package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** {@code PORT}: connects at once, in less time than the switch takes to start. */
public final class Hurried {
    private Hurried() {}

    /** Prints {@code connected=true} or {@code connected=false}. */
    public static void main(String[] args) {
        boolean connected = false;
        try (Socket socket = new Socket()) {
            int port = Integer.parseInt(args[0]);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 10);
            connected = socket.isConnected();
        } catch (IOException e) {
            System.err.println(e);
        }
        System.out.println("connected=" + connected);
    }
}
