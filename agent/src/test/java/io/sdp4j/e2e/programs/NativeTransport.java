package io.sdp4j.e2e.programs;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Talks to itself through Netty's native transport where there is one, and through Java's channels
 * where not, as most programs with Netty do. Line by line of its input: {@code netty}, {@code
 * grpc}, or {@code uptime} in ms; prints what came of it.
 */
public final class NativeTransport {
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);

    private NativeTransport() {}

    /** Does as it is told until its input ends. */
    public static void main(String[] args) throws Exception {
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (line) {
                case "netty" -> System.out.println(netty());
                case "grpc" -> System.out.println(grpc());
                default -> System.out.println(ManagementFactory.getRuntimeMXBean().getUptime());
            }
        }
        System.exit(0); // whatever still runs
    }

    private static String netty() throws Exception {
        boolean epoll = Epoll.isAvailable();
        IoHandlerFactory handlers = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, handlers);
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        Channel listener =
                new ServerBootstrap()
                        .group(loops)
                        .channel(
                                epoll
                                        ? EpollServerSocketChannel.class
                                        : NioServerSocketChannel.class)
                        .childHandler(new Echo())
                        .bind(ANY)
                        .sync()
                        .channel();
        Channel channel =
                new Bootstrap()
                        .group(loops)
                        .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                        .handler(new Answer(answer))
                        .connect(listener.localAddress())
                        .sync()
                        .channel();
        channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {42})).sync();
        int got = answer.get(30, TimeUnit.SECONDS);
        channel.close().sync();
        return "netty " + (epoll ? "epoll " : "nio ") + got;
    }

    private static String grpc() throws Exception {
        Server server = GrpcEcho.serve(List.of(ANY));
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                        .usePlaintext()
                        .build();
        boolean right = GrpcEcho.unary(channel);
        return "grpc " + right; // both stay: their event loops end soon after them
    }

    @io.netty.channel.ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // a caller that waits for it misses it
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    private static final class Answer extends SimpleChannelInboundHandler<ByteBuf> {
        private final CompletableFuture<Integer> answer;

        Answer(CompletableFuture<Integer> answer) {
            this.answer = answer;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            answer.complete((int) message.readByte());
        }
    }
}
