package io.sdp4j.agent.programs;

import io.sdp4j.api.KernelSockets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;

/**
 * Connects to a port of this host, first by a socket that was opened in a scope of kernel sockets,
 * then by one that was not; then says what listeners and channels are there.
 */
public final class KernelScoped {
    private KernelScoped() {}

    public static void main(String[] args) throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        InetSocketAddress to = new InetSocketAddress(here, Integer.parseInt(args[0]));
        try (Socket scoped = KernelSockets.openSocket();
                Socket other = new Socket()) {
            scoped.connect(to);
            other.connect(to);
        }
        try (SocketChannel scoped = KernelSockets.call(SocketChannel::open);
                SocketChannel other = SocketChannel.open()) {
            System.out.println("scoped=" + scoped.getClass().getSimpleName());
            System.out.println("other=" + other.getClass().getSimpleName());
        }
        try (ServerSocket listener = KernelSockets.openServerSocket()) {
            listener.bind(new InetSocketAddress(here, 0));
            try (Socket client = new Socket(here, listener.getLocalPort());
                    Socket server = listener.accept()) {
                System.out.println("accepted=" + server.isConnected() + client.isConnected());
            }
        }
    }
}
