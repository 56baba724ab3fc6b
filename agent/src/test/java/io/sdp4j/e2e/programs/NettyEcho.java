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

/** Netty on NIO with TLS: {@code server PORTS KEYS} echoes, {@code client PORTS KEYS} compares. */
public final class NettyEcho {
    private static final int BYTES = 4_000_001;
    private static final int CONNECTIONS = 3;

    private NettyEcho() {}

    /** Serves until it is ended, or visits once. */
    public static void main(String[] args) throws Exception {
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE); // SLF4J would complain
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        if (args[0].equals("server")) {
            SslContext tls =
                    SslContextBuilder.forServer(Tls.keys(args[2]))
                            .sslProvider(SslProvider.JDK)
                            .build();
            ServerBootstrap bootstrap =
                    new ServerBootstrap()
                            .group(loops)
                            .channel(NioServerSocketChannel.class)
                            .childHandler(secured(tls, Echo::new));
            for (InetSocketAddress address : Listening.addresses(args[1])) {
                bootstrap.bind(address).sync();
            }
            System.out.println("READY");
        } else {
            SslContext tls =
                    SslContextBuilder.forClient()
                            .trustManager(Tls.trust(args[2]))
                            .sslProvider(SslProvider.JDK)
                            .build();
            int visits = 0;
            for (int port : Listening.ports(args[1])) {
                Visit visit = new Visit(++visits);
                for (int i = 0; i < CONNECTIONS; i++) {
                    visit.tell("right." + i, visit(loops, tls, Listening.host(args[1]), port));
                }
            }
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
    private static boolean visit(EventLoopGroup loops, SslContext tls, String host, int port)
            throws InterruptedException {
        Collector collector = new Collector();
        Channel channel =
                new Bootstrap()
                        .group(loops)
                        .channel(NioSocketChannel.class)
                        .handler(secured(tls, () -> collector))
                        .connect(host, port)
                        .sync()
                        .channel();
        byte[] sent = Pattern.bytes(BYTES);
        channel.writeAndFlush(Unpooled.wrappedBuffer(sent));
        boolean all = collector.full.await(150, TimeUnit.SECONDS);
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
