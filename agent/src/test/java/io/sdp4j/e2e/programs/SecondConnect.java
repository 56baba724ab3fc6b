package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;

/**
 * {@code PORT}: connects channels whose first connect was a mistake that leaves a channel as it
 * was. Prints whether each is {@code connected}.
 */
public final class SecondConnect {
    private SecondConnect() {}

    /** Prints one line for each mistake. */
    public static void main(String[] args) throws IOException {
        InetSocketAddress to =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        try (SocketChannel channel = SocketChannel.open()) {
            try {
                channel.connect(InetSocketAddress.createUnresolved("no.such.host.invalid", 1));
            } catch (UnresolvedAddressException e) {
                System.out.println("unresolved=" + connects(channel, to));
            }
        }
        try (SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            try {
                channel.socket().connect(to, 1000);
            } catch (IllegalBlockingModeException e) {
                if (channel.isOpen()) {
                    channel.configureBlocking(true);
                }
                System.out.println("blocking mode=" + connects(channel, to));
            } catch (IOException e) {
                System.out.println("blocking mode=" + channel.isConnected());
            }
        }
    }

    private static boolean connects(SocketChannel channel, InetSocketAddress to) {
        try {
            channel.socket().connect(to, 1000); // the peer offers no offload, which may come yet
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
