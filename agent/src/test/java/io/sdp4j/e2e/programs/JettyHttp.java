package io.sdp4j.e2e.programs;

import static java.nio.charset.StandardCharsets.US_ASCII;

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
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * Jetty with HTTP/1.1 and HTTP/2 in the clear, answering as {@link JdkHttp} does. Argument: the
 * ports.
 */
public final class JettyHttp {
    private JettyHttp() {}

    /** Serves until it is ended. */
    public static void main(String[] args) throws Exception {
        Server server = new Server();
        HttpConfiguration http = new HttpConfiguration();
        for (int port : Listening.ports(args[0])) {
            ServerConnector connector =
                    new ServerConnector(
                            server,
                            new HttpConnectionFactory(http),
                            new HTTP2CServerConnectionFactory(http));
            connector.setHost("127.0.0.1");
            connector.setPort(port);
            server.addConnector(connector);
        }
        server.setHandler(new Answering());
        server.start();
        System.out.println("READY");
    }

    /** For every connector of a server. */
    static final class Answering extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback)
                throws Exception {
            String path = Request.getPathInContext(request);
            byte[] answer;
            if (path.startsWith("/bytes/")) {
                answer = Pattern.bytes(Integer.parseInt(path.substring(7)));
            } else {
                ByteBuffer body = Content.Source.asByteBuffer(request);
                answer = Pattern.digest(BufferUtil.toArray(body)).getBytes(US_ASCII);
            }
            response.getHeaders().put("Content-Length", answer.length);
            response.write(true, ByteBuffer.wrap(answer), callback);
            return true;
        }
    }
}
