package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
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

/** Jetty, as it is without settings. */
final class JettyServer implements HttpApp.HttpServing {
    @Override
    public int serve() throws Exception {
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
