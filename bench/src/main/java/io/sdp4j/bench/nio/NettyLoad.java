package io.sdp4j.bench.nio;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.sdp4j.bench.net.Place;
import io.sdp4j.bench.net.Samples;
import java.io.EOFException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * Requests to {@link NettyEcho}, from Netty's NIO transport with one event loop: on every
 * connection so many are under way all the time.
 */
final class NettyLoad {
    private static final long PATIENCE_MS = 20_000;

    private final Ports ports;
    private final EventLoopGroup group = NettyEcho.group();

    NettyLoad(Ports ports) {
        this.ports = ports;
    }

    /**
     * Measures with fresh connections.
     *
     * @param sizeBytes of a request, and of its answer
     * @param depth requests under way on each connection
     * @return {@code p50} and {@code p99} from a request's write to the end of its answer,
     *     nanoseconds; {@code requests} a second on all connections
     */
    String measure(int sizeBytes, int connections, int depth, int warmMs, int measureMs)
            throws Exception {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            all.add(new Connection(sizeBytes, depth, new Samples(measureMs, connections)));
        }
        try {
            for (Connection connection : all) {
                connect(connection);
            }
            long from = System.nanoTime() + MILLISECONDS.toNanos(warmMs);
            long to = from + MILLISECONDS.toNanos(measureMs);
            for (Connection connection : all) {
                connection.context.executor().execute(() -> connection.begin(from, to));
            }
            List<Samples> samples = new ArrayList<>();
            for (Connection connection : all) {
                samples.add(connection.end.get(warmMs + measureMs + PATIENCE_MS, MILLISECONDS));
            }
            int[] sorted = Samples.sorted(samples);
            double perSecond = sorted.length * 1000.0 / measureMs;
            return Samples.text(sorted) + String.format(Locale.ROOT, " requests=%.1f", perSecond);
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
    }

    private void connect(Connection connection) throws Exception {
        new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(
                        new ChannelInitializer<SocketChannel>() {
                            @Override
                            protected void initChannel(SocketChannel channel) {
                                channel.pipeline().addLast(connection);
                            }
                        })
                .connect(Place.here(), ports.netty())
                .sync();
    }

    /** One connection; all but {@code context} and {@code end} belong to the event loop. */
    private static final class Connection extends ChannelInboundHandlerAdapter {
        final CompletableFuture<Samples> end = new CompletableFuture<>();
        volatile ChannelHandlerContext context;
        private final byte[] request;
        private final int depth;
        private final Samples samples;

        /** When each request that is under way was written; a ring. */
        private final long[] sent;

        private long requests;
        private long answers;
        private int partBytes;
        private long from;
        private long to;

        Connection(int sizeBytes, int depth, Samples samples) {
            request = new byte[sizeBytes];
            this.depth = depth;
            this.samples = samples;
            sent = new long[depth];
        }

        @Override
        public void handlerAdded(ChannelHandlerContext added) {
            context = added;
        }

        void begin(long fromNanos, long toNanos) {
            from = fromNanos;
            to = toNanos;
            long now = System.nanoTime();
            for (int i = 0; i < depth; i++) {
                ask(now);
            }
            context.flush();
        }

        private void ask(long now) {
            sent[(int) (requests++ % depth)] = now;
            ByteBuf block = context.alloc().directBuffer(request.length);
            ChannelFuture _ = context.write(block.writeBytes(request), context.voidPromise());
        }

        @Override
        public void channelRead(ChannelHandlerContext here, Object message) {
            ByteBuf block = (ByteBuf) message;
            partBytes += block.readableBytes();
            block.release();
            if (partBytes < request.length) {
                return;
            }
            long now = System.nanoTime();
            while (partBytes >= request.length) {
                partBytes -= request.length;
                long asked = sent[(int) (answers++ % depth)];
                if (now >= to && samples.count() > 0) {
                    end.complete(samples);
                } else {
                    if (now >= from && samples.add(now - asked)) {
                        end.completeExceptionally(new AssertionError("faster than expected"));
                    }
                    ask(now);
                }
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext here) {
            here.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext here) {
            end.completeExceptionally(new EOFException("the server left"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext here, Throwable failed) {
            end.completeExceptionally(failed);
        }

        void close() throws InterruptedException {
            if (context != null) {
                context.close().sync();
            }
        }
    }
}
