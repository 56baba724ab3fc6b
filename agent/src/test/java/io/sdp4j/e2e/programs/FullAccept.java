package io.sdp4j.e2e.programs;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Accepts a connection while there is no descriptor left, twice, as two queues take turns, and once
 * there are some again. Prints a result each.
 */
public final class FullAccept {
    private static final int MOST_MILLIS = 20_000;

    private FullAccept() {}

    /** Does it. */
    public static void main(String[] args) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (SocketChannel _ = SocketChannel.open(listener.getLocalAddress())) {
                listener.accept().close(); // loads classes while that can be done
            }
            try (SocketChannel client = SocketChannel.open(listener.getLocalAddress())) {
                List<FileInputStream> all = takeAll();
                System.out.println("full=" + accept(listener) + " " + accept(listener));
                for (FileInputStream one : all) {
                    one.close();
                }
                listener.socket().setSoTimeout(MOST_MILLIS);
                try (Socket accepted = listener.socket().accept()) {
                    int _ = client.write(ByteBuffer.wrap(new byte[] {42}));
                    System.out.println("read=" + accepted.getInputStream().read());
                }
            }
        }
    }

    @SuppressWarnings("resource") // the caller closes them
    private static List<FileInputStream> takeAll() {
        List<FileInputStream> all = new ArrayList<>();
        while (true) {
            try {
                all.add(new FileInputStream("/dev/null"));
            } catch (FileNotFoundException e) { // too many open files
                return all;
            }
        }
    }

    private static String accept(ServerSocketChannel listener) {
        try (SocketChannel accepted = listener.accept()) {
            return "accepted " + accepted;
        } catch (IOException e) {
            return "fails";
        }
    }
}
