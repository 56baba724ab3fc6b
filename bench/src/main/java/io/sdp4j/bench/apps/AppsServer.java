package io.sdp4j.bench.apps;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.sdp4j.bench.net.NetServer;
import io.sdp4j.bench.net.Place;
import io.sdp4j.bench.nio.NettyEcho;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/**
 * The answering JVM: {@code AppsServer ANYTHING} prints {@code READY JETTY_PORT,NETTY_PORT} and
 * serves until its standard input ends. Jetty answers {@code GET /N} with N bytes and takes what is
 * posted; Netty sends everything back. Both as they are without settings.
 */
public final class AppsServer {
    private AppsServer() {}

    /** Serves until standard input ends, and ends the JVM. */
    public static void main(String[] args) throws Exception {
        System.out.println("READY " + jetty() + "," + netty());
        NetServer.untilInputEnds();
    }

    private static int jetty() throws Exception {
        Server server = new Server();
        HttpConfiguration http = new HttpConfiguration();
        ServerConnector connector =
                new ServerConnector(
                        server,
                        new HttpConnectionFactory(http),
                        new HTTP2CServerConnectionFactory(http));
        connector.setHost(Place.here().getHostAddress());
        server.addConnector(connector);
        server.setHandler(new Answering());
        server.start();
        return connector.getLocalPort();
    }

    private static int netty() throws IOException, InterruptedException {
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

    private static final class Answering extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback)
                throws Exception {
            byte[] answer;
            if (request.getMethod().equals("POST")) {
                Content.Source.consumeAll(request);
                answer = new byte[0];
            } else {
                answer = new byte[Integer.parseInt(Request.getPathInContext(request).substring(1))];
            }
            response.getHeaders().put("Content-Length", answer.length);
            response.write(true, ByteBuffer.wrap(answer), callback);
            return true;
        }
    }
}
