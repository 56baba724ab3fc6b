package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The channels of {@link IdleCrowd}. */
final class IdleChannels {
    private final boolean server;
    private final int count;
    private final List<Object> open = new ArrayList<>(); // or they would be collected

    IdleChannels(boolean server, int count) {
        this.server = server;
        this.count = count;
    }

    private List<SocketChannel> channels(InetSocketAddress at) throws IOException {
        List<SocketChannel> channels = new ArrayList<>();
        if (server) {
            ServerSocketChannel listener = ServerSocketChannel.open().bind(at, count);
            open.add(listener); // for those that move
            System.out.println("READY " + listener.socket().getLocalPort());
            while (channels.size() < count) {
                channels.add(listener.accept());
            }
        } else {
            while (channels.size() < count) {
                channels.add(SocketChannel.open(at));
            }
        }
        return channels;
    }

    /** On each a thread waits to read. */
    void block(InetSocketAddress at) throws Exception {
        List<SocketChannel> channels = channels(at);
        CountDownLatch talked = new CountDownLatch(count);
        for (SocketChannel channel : channels) {
            Thread.ofPlatform().daemon().start(() -> read(channel, talked));
        }
        talked.await();
        System.out.println("UP");
    }

    private static void read(SocketChannel channel, CountDownLatch talked) {
        try {
            channel.write(ByteBuffer.allocate(1));
            channel.read(ByteBuffer.allocate(1));
            talked.countDown();
            channel.read(ByteBuffer.allocate(1));
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    /** All in one selector. */
    void select(InetSocketAddress at) throws IOException {
        List<SocketChannel> channels = channels(at);
        Selector selector = Selector.open();
        for (SocketChannel channel : channels) {
            channel.write(ByteBuffer.allocate(1));
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
        }
        open.add(selector);
        ByteBuffer one = ByteBuffer.allocate(1);
        for (int talked = 0; talked < count; ) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                talked += ((SocketChannel) key.channel()).read(one.clear()) == 1 ? 1 : 0;
            }
            selector.selectedKeys().clear();
        }
        System.out.println("UP");
        Thread.ofPlatform().daemon().start(() -> waitFor(selector));
    }

    private static void waitFor(Selector selector) {
        try {
            while (true) {
                selector.select();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Each with a read under way. */
    void async(InetSocketAddress at) throws Exception {
        List<AsynchronousSocketChannel> channels = new ArrayList<>();
        if (server) {
            try (AsynchronousServerSocketChannel listener =
                    AsynchronousServerSocketChannel.open().bind(at, count)) {
                InetSocketAddress bound = (InetSocketAddress) listener.getLocalAddress();
                System.out.println("READY " + bound.getPort());
                while (channels.size() < count) {
                    channels.add(listener.accept().get());
                }
            }
        } else {
            while (channels.size() < count) {
                AsynchronousSocketChannel channel = AsynchronousSocketChannel.open();
                channel.connect(at).get();
                channels.add(channel);
            }
        }
        open.addAll(channels);
        CountDownLatch talked = new CountDownLatch(count);
        for (AsynchronousSocketChannel channel : channels) {
            channel.write(ByteBuffer.allocate(1)).get();
            read(channel, talked);
        }
        talked.await();
        System.out.println("UP");
    }

    private static void read(AsynchronousSocketChannel channel, CountDownLatch talked) {
        channel.read(
                ByteBuffer.allocate(1),
                null,
                new CompletionHandler<Integer, Void>() {
                    @Override
                    public void completed(Integer n, Void nothing) {
                        talked.countDown();
                        if (n == 1) {
                            read(channel, talked);
                        }
                    }

                    @Override
                    public void failed(Throwable e, Void nothing) {
                        System.err.println(e);
                    }
                });
    }
}
