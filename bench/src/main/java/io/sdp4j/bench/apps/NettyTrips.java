package io.sdp4j.bench.apps;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/** Messages to an echo and back over Netty's NIO transport, one after the other. */
final class NettyTrips extends SimpleChannelInboundHandler<ByteBuf> {
    private final byte[] message;
    private final AtomicLong done;
    private int had;

    private NettyTrips(int bytes, AtomicLong done) {
        message = new byte[bytes];
        this.done = done;
    }

    /** Begins on so many connections, for the rest of the JVM's life. */
    static void start(int port, int bytes, int connections, AtomicLong done) throws IOException {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        for (int i = 0; i < connections; i++) {
            ChannelFuture _ =
                    new Bootstrap()
                            .group(group)
                            .channel(NioSocketChannel.class)
                            .handler(new NettyTrips(bytes, done))
                            .connect(Place.here(), port);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        send(context);
    }

    private void send(ChannelHandlerContext context) {
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
            done.incrementAndGet();
            send(context);
        }
    }
}
