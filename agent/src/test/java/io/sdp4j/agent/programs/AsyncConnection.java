package io.sdp4j.agent.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Sends one byte to itself through asynchronous channels of each kind of group, and prints them;
 * with the argument {@code who} only says which provider there is, with {@code groups} of how many
 * providers two groups are.
 */
public final class AsyncConnection {
    private AsyncConnection() {}

    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals("groups")) {
            AsynchronousChannelProvider first = ofGroup();
            System.out.println("providers=" + (first == ofGroup() ? 1 : 2));
            return;
        }
        if (args.length > 0) {
            System.out.println(AsynchronousChannelProvider.provider().getClass().getPackageName());
            return;
        }
        AsynchronousChannelGroup[] groups = {
            null,
            AsynchronousChannelGroup.withFixedThreadPool(2, Executors.defaultThreadFactory()),
            AsynchronousChannelGroup.withCachedThreadPool(Executors.newCachedThreadPool(), 1)
        };
        int sum = 0;
        for (AsynchronousChannelGroup group : groups) {
            sum += exchange(group);
            if (group != null) {
                group.shutdown();
            }
        }
        System.out.println("byte=" + sum / groups.length);
    }

    private static AsynchronousChannelProvider ofGroup() throws IOException {
        AsynchronousChannelGroup group =
                AsynchronousChannelGroup.withFixedThreadPool(1, Executors.defaultThreadFactory());
        group.shutdown();
        return group.provider();
    }

    private static int exchange(AsynchronousChannelGroup group) throws Exception {
        try (AsynchronousServerSocketChannel listener =
                        AsynchronousServerSocketChannel.open(group)
                                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                AsynchronousSocketChannel client = AsynchronousSocketChannel.open(group)) {
            Future<AsynchronousSocketChannel> accept = listener.accept();
            client.connect(listener.getLocalAddress()).get();
            try (AsynchronousSocketChannel server = accept.get()) {
                ByteBuffer dst = ByteBuffer.allocate(1);
                Future<Integer> read = server.read(dst);
                client.write(ByteBuffer.wrap(new byte[] {42})).get();
                read.get();
                return dst.get(0);
            }
        }
    }
}
