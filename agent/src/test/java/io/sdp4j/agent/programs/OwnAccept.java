package io.sdp4j.agent.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Sends one byte to itself and prints it, by a listener that accepts into sockets of its own making
 * and is there before it waits for standard input.
 */
public final class OwnAccept extends ServerSocket {
    private OwnAccept() throws IOException {
        super(0, 5, InetAddress.getLoopbackAddress());
    }

    @Override
    public Socket accept() throws IOException {
        Socket socket = new Socket();
        implAccept(socket);
        return socket;
    }

    public static void main(String[] args) throws IOException {
        try (OwnAccept listener = new OwnAccept()) {
            System.out.println("waiting");
            int _ = System.in.read();
            try (Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
                    Socket accepted = listener.accept()) {
                client.getOutputStream().write(42);
                System.out.println("byte=" + accepted.getInputStream().read());
            }
        }
    }
}
