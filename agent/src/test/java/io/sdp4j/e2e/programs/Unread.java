package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A server whose clients never read: {@code server CLIENTS}, which writes to each of them until it
 * takes nothing more, prints {@code taken=BYTES}, and waits for the end of its input; or {@code
 * client PORT CONNECTIONS}, which waits for that alone.
 */
public final class Unread {
    private static final int BLOCK_BYTES = 100_000;

    private Unread() {}

    /** One side. */
    public static void main(String[] args) throws IOException, InterruptedException {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        List<SocketChannel> open = new ArrayList<>();
        if (args[0].equals("server")) {
            InetSocketAddress any = new InetSocketAddress(loopback, 0);
            try (ServerSocketChannel listener = ServerSocketChannel.open().bind(any)) {
                System.out.println("READY " + listener.socket().getLocalPort());
                long taken = 0;
                for (int i = 0; i < Integer.parseInt(args[1]); i++) {
                    SocketChannel channel = listener.accept();
                    open.add(channel);
                    taken += fill(channel);
                }
                System.out.println("taken=" + taken);
                System.in.read();
            }
        } else {
            for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                open.add(
                        SocketChannel.open(
                                new InetSocketAddress(loopback, Integer.parseInt(args[1]))));
            }
            System.out.println("UP");
            System.in.read();
        }
        for (SocketChannel channel : open) {
            channel.close();
        }
    }

    /** Until nothing was taken for a while. */
    private static long fill(SocketChannel channel) throws IOException, InterruptedException {
        channel.configureBlocking(false);
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
        long taken = 0;
        for (int nothing = 0; nothing < 20; ) {
            int n = channel.write(block.clear());
            taken += n;
            nothing = n > 0 ? 0 : nothing + 1;
            if (n == 0) {
                Thread.sleep(10);
            }
        }
        return taken;
    }
}
