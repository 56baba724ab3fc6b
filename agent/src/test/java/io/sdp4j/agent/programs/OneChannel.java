package io.sdp4j.agent.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/**
 * Sends one byte to itself through channels and a selector and prints it. A reader waits in the
 * same channel's input stream while its output stream writes. With the argument {@code who} only
 * says which provider there is.
 */
public final class OneChannel {
    private OneChannel() {}

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            System.out.println(SelectorProvider.provider().getClass().getPackageName());
            return;
        }
        System.out.println("byte=" + exchange());
    }

    private static int exchange() throws IOException, InterruptedException {
        try (Selector selector = Selector.open();
                ServerSocketChannel listener =
                        ServerSocketChannel.open()
                                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel accepted = listener.accept()) {
            Thread reader =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            int _ = Channels.newInputStream(client).read();
                                        } catch (IOException e) {
                                            throw new IllegalStateException(e);
                                        }
                                    });
            while (reader.getState() == Thread.State.NEW) {
                Thread.onSpinWait();
            }
            Channels.newOutputStream(client).write(42);
            accepted.configureBlocking(false);
            SelectionKey key = accepted.register(selector, SelectionKey.OP_READ);
            selector.select(10_000);
            ByteBuffer one = ByteBuffer.allocate(1);
            int n = key.isReadable() ? accepted.read(one) : 0;
            accepted.write(ByteBuffer.allocate(1));
            reader.join();
            return n == 1 ? one.get(0) : -1;
        }
    }
}
