package io.sdp4j.bench.nio;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Sends everything back, on Netty's NIO transport, with one event loop. */
@Sharable
public final class NettyEcho extends ChannelInboundHandlerAdapter {
    /** One event loop for each JVM of a pair: more would only share the two processors. */
    static final int EVENT_LOOPS = 1;

    private NettyEcho() {}

    /** Handler that answers on a connection; one serves all. */
    public static ChannelHandler handler() {
        return new NettyEcho();
    }

    /** An event loop group of Netty's NIO transport. */
    static EventLoopGroup group() {
        return new MultiThreadIoEventLoopGroup(EVENT_LOOPS, NioIoHandler.newFactory());
    }

    /** Serves a port of {@code address} from now on, and tells which. */
    static int listen(InetAddress address) throws InterruptedException {
        NettyEcho echo = new NettyEcho();
        InetSocketAddress bound =
                (InetSocketAddress)
                        new ServerBootstrap()
                                .group(group(), group())
                                .channel(NioServerSocketChannel.class)
                                .childOption(ChannelOption.TCP_NODELAY, true)
                                .childHandler(
                                        new ChannelInitializer<SocketChannel>() {
                                            @Override
                                            protected void initChannel(SocketChannel channel) {
                                                channel.pipeline().addLast(echo);
                                            }
                                        })
                                .bind(address, 0)
                                .sync()
                                .channel()
                                .localAddress();
        return bound.getPort();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ChannelFuture _ = context.write(message, context.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable gone) {
        ChannelFuture _ = context.close();
    }
}
