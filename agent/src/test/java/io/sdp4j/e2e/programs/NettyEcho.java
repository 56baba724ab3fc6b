package io.sdp4j.e2e.programs;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Netty on NIO with TLS: {@code server KEYS} echoes, {@code client KEYS PORT} compares. */
public final class NettyEcho {
    private static final int BYTES = 4_000_001;

    private NettyEcho() {}

    /** Serves until it is ended, or visits once. */
    public static void main(String[] args) throws Exception {
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE); // SLF4J would complain
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        if (args[0].equals("server")) {
            SslContext tls =
                    SslContextBuilder.forServer(Tls.keys(args[1]))
                            .sslProvider(SslProvider.JDK)
                            .build();
            Channel listener =
                    new ServerBootstrap()
                            .group(loops)
                            .channel(NioServerSocketChannel.class)
                            .childHandler(secured(tls, Echo::new))
                            .bind("127.0.0.1", 0)
                            .sync()
                            .channel();
            System.out.println("READY " + ((InetSocketAddress) listener.localAddress()).getPort());
        } else {
            SslContext tls =
                    SslContextBuilder.forClient()
                            .trustManager(Tls.trust(args[1]))
                            .sslProvider(SslProvider.JDK)
                            .build();
            int right = 0;
            for (int i = 0; i < 4; i++) {
                right += visit(loops, tls, Integer.parseInt(args[2])) ? 1 : 0;
            }
            System.out.println("right=" + (right == 4));
            loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    /** How a handler is made. */
    private interface Handlers {
        ChannelInboundHandlerAdapter make();
    }

    private static ChannelInitializer<Channel> secured(SslContext tls, Handlers handlers) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel c) {
                c.pipeline()
                        .addLast(
                                tls.isClient() // which checks whom it talks to
                                        ? tls.newHandler(c.alloc(), "127.0.0.1", 443)
                                        : tls.newHandler(c.alloc()),
                                handlers.make());
            }
        };
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what comes back tells more
    private static boolean visit(EventLoopGroup loops, SslContext tls, int port)
            throws InterruptedException {
        Collector collector = new Collector();
        Channel channel =
                new Bootstrap()
                        .group(loops)
                        .channel(NioSocketChannel.class)
                        .handler(secured(tls, () -> collector))
                        .connect("127.0.0.1", port)
                        .sync()
                        .channel();
        byte[] sent = Pattern.bytes(BYTES);
        channel.writeAndFlush(Unpooled.wrappedBuffer(sent));
        boolean all = collector.full.await(50, TimeUnit.SECONDS);
        channel.close().sync();
        return all && Arrays.equals(sent, collector.got);
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the client misses what fails
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    private static final class Collector extends SimpleChannelInboundHandler<ByteBuf> {
        private final byte[] got = new byte[BYTES];
        private final CountDownLatch full = new CountDownLatch(1);
        private int at;

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            int n = message.readableBytes();
            message.readBytes(got, at, n);
            at += n;
            if (at == BYTES) {
                full.countDown();
            }
        }
    }
}
