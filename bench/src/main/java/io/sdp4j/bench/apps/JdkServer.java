package io.sdp4j.bench.apps;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/** The JDK's web server with a thread for each request, without which it answers one at a time. */
final class JdkServer implements HttpApp.HttpServing {
    @Override
    public int serve() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(Place.here(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", JdkServer::answer);
        server.start();
        return server.getAddress().getPort();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (exchange.getRequestMethod().equals("POST")) {
                exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
                exchange.sendResponseHeaders(200, -1);
            } else {
                byte[] answer =
                        new byte[Integer.parseInt(exchange.getRequestURI().getPath().substring(1))];
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            }
        }
    }
}
