package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.TimeUnit;

/**
 * Sends back what it gets, on asynchronous channels of one group of two threads, until it is
 * killed. Prints {@code READY port}.
 */
public final class AsyncEchoServer
        implements CompletionHandler<AsynchronousSocketChannel, AsynchronousServerSocketChannel> {
    private AsyncEchoServer() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        AsynchronousChannelGroup group =
                AsynchronousChannelGroup.withFixedThreadPool(2, Thread.ofPlatform().factory());
        AsynchronousServerSocketChannel listener =
                AsynchronousServerSocketChannel.open(group)
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.accept(listener, new AsyncEchoServer());
        System.out.println("READY " + ((InetSocketAddress) listener.getLocalAddress()).getPort());
        while (!group.awaitTermination(1, TimeUnit.HOURS)) {
            // until it is killed
        }
    }

    @Override
    public void completed(
            AsynchronousSocketChannel channel, AsynchronousServerSocketChannel listener) {
        listener.accept(listener, this);
        new Echo(channel).read();
    }

    @Override
    public void failed(Throwable failure, AsynchronousServerSocketChannel listener) {
        System.err.println("accept failed: " + failure);
    }

    /** One connection; a read is followed by as many writes as it takes. */
    private static final class Echo implements CompletionHandler<Integer, Boolean> {
        private final AsynchronousSocketChannel channel;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(32 * 1024);

        Echo(AsynchronousSocketChannel channel) {
            this.channel = channel;
        }

        void read() {
            channel.read(buffer.clear(), true, this);
        }

        @Override
        public void completed(Integer n, Boolean wasRead) {
            if (wasRead && n < 0) {
                close();
                return;
            }
            if (wasRead) {
                buffer.flip();
            }
            if (buffer.hasRemaining()) {
                channel.write(buffer, false, this);
            } else {
                read();
            }
        }

        @Override
        public void failed(Throwable failure, Boolean wasRead) {
            System.err.println("connection ended: " + failure);
            close();
        }

        private void close() {
            try {
                channel.close();
            } catch (IOException e) {
                System.err.println("close failed: " + e);
            }
        }
    }
}
