package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * A listener that accepts into a socket of its own, which was made first. Prints {@code byte=42} if
 * the connection works.
 */
public final class IntoSocket {
    private IntoSocket() {}

    private static final class Listener extends ServerSocket {
        private final Socket into;

        Listener(Socket into) throws IOException {
            super(0, 1, InetAddress.getLoopbackAddress());
            this.into = into;
        }

        @Override
        public Socket accept() throws IOException {
            implAccept(into);
            return into;
        }
    }

    /** Does it. */
    public static void main(String[] args) throws IOException {
        Socket into = new Socket();
        into.setTcpNoDelay(true);
        try (Listener listener = new Listener(into);
                Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket server = listener.accept()) {
            client.getOutputStream().write(42);
            System.out.println("byte=" + server.getInputStream().read());
        }
    }
}
