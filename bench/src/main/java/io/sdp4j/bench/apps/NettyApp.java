package io.sdp4j.bench.apps;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.sdp4j.bench.net.Place;
import io.sdp4j.bench.nio.NettyEcho;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Netty's NIO transport: messages to an echo and back, on a connection for each at once. */
final class NettyApp implements App {
    @Override
    public int serve() throws IOException, InterruptedException {
        return ((InetSocketAddress)
                        new ServerBootstrap()
                                .group(new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory()))
                                .channel(NioServerSocketChannel.class)
                                .childHandler(NettyEcho.handler())
                                .bind(Place.here(), 0)
                                .sync()
                                .channel()
                                .localAddress())
                .getPort();
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally) throws IOException {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        for (int i = 0; i < atOnce; i++) {
            ChannelFuture _ =
                    new Bootstrap()
                            .group(group)
                            .channel(NioSocketChannel.class)
                            .handler(new Trips(bytes, tally))
                            .connect(Place.here(), port)
                            .addListener(
                                    connected -> {
                                        if (!connected.isSuccess()) {
                                            tally.fail(connected.cause());
                                        }
                                    });
        }
    }

    /** Belongs to the event loop of its connection. */
    private static final class Trips extends SimpleChannelInboundHandler<ByteBuf> {
        private final byte[] message;
        private final Tally tally;
        private int had;
        private long sentNanos;

        Trips(int bytes, Tally tally) {
            message = new byte[bytes];
            this.tally = tally;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        private void send(ChannelHandlerContext context) {
            sentNanos = System.nanoTime();
            ChannelFuture _ =
                    context.writeAndFlush(
                            context.alloc().buffer(message.length).writeBytes(message),
                            context.voidPromise());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf part) {
            had += part.readableBytes();
            if (had == message.length) {
                had = 0;
                tally.add(System.nanoTime() - sentNanos);
                send(context);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            tally.fail(new EOFException("the server left"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable failed) {
            tally.fail(failed);
        }
    }
}
