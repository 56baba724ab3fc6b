package io.sdp4j.e2e.programs;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import io.sdp4j.api.Sdp;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One component of an application, Netty, over SDP by the explicit API, in a JVM without the agent:
 * an echo there and back. Everything else that the application opens is plain TCP, in the same
 * event loops too.
 */
public final class ExplicitNetty {
    private static final int BYTES = 1_000_003;

    private ExplicitNetty() {}

    public static void main(String[] args) throws Exception {
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE); // SLF4J would complain
        SelectorProvider sdp = Sdp.provider().selectorProvider();
        EventLoopGroup loops =
                new MultiThreadIoEventLoopGroup(
                        2, NioIoHandler.newFactory(sdp, DefaultSelectStrategyFactory.INSTANCE));
        System.out.println("sdp=" + echo(loops, sdp));
        System.out.println("tcp=" + echo(loops, SelectorProvider.provider()));
        System.out.println("mixed=" + refused(loops, sdp));
        try (ServerSocketChannel plain = ServerSocketChannel.open()) {
            System.out.println("rest=" + plain.getClass().getPackageName());
        }
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }

    /** Transport, and whether every byte came back. */
    private static String echo(EventLoopGroup loops, SelectorProvider provider) throws Exception {
        Channel listener =
                new ServerBootstrap()
                        .group(loops)
                        .channelFactory(() -> new NioServerSocketChannel(provider))
                        .childHandler(new Echo())
                        .bind(InetAddress.getLoopbackAddress(), 0)
                        .sync()
                        .channel();
        Collector collector = new Collector();
        Channel client =
                new Bootstrap()
                        .group(loops)
                        .channelFactory(() -> new NioSocketChannel(provider))
                        .handler(collector)
                        .connect(listener.localAddress())
                        .sync()
                        .channel();
        byte[] sent = Pattern.bytes(BYTES);
        client.writeAndFlush(Unpooled.wrappedBuffer(sent)).sync();
        byte[] got = collector.full.get(50, TimeUnit.SECONDS);
        String channel = collector.channel.getSimpleName();
        client.close().sync();
        listener.close().sync();
        return channel + " " + Arrays.equals(sent, got);
    }

    /** A plain TCP listener does not speak SDP, and nothing falls back. */
    private static String refused(EventLoopGroup loops, SelectorProvider provider)
            throws Exception {
        try (ServerSocketChannel plain =
                ServerSocketChannel.open()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            var connect =
                    new Bootstrap()
                            .group(loops)
                            .channelFactory(() -> new NioSocketChannel(provider))
                            .handler(new Collector())
                            .connect(plain.getLocalAddress())
                            .await();
            return connect.cause() instanceof java.net.ConnectException
                    ? "refused"
                    : String.valueOf(connect.cause());
        }
    }

    @io.netty.channel.ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the client misses what fails
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    private static final class Collector extends SimpleChannelInboundHandler<ByteBuf> {
        private final byte[] got = new byte[BYTES];
        private final CompletableFuture<byte[]> full = new CompletableFuture<>();
        private Class<?> channel;
        private int at;

        /** The channel below Netty's. */
        @Override
        public void channelActive(ChannelHandlerContext context) throws Exception {
            var method =
                    io.netty.channel.nio.AbstractNioChannel.class.getDeclaredMethod("javaChannel");
            method.setAccessible(true);
            channel = ((SocketChannel) method.invoke(context.channel())).getClass();
            super.channelActive(context);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            int n = message.readableBytes();
            message.readBytes(got, at, n);
            at += n;
            if (at == BYTES) {
                full.complete(got);
            }
        }
    }
}
