package io.sdp4j.e2e.programs;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.concurrent.Executors;

/**
 * The JDK's own HTTP server: {@code GET /bytes/N} gives N bytes, {@code POST} the digest of what
 * came. Arguments: the ports, and for TLS the name of a key store.
 */
public final class JdkHttp {
    private JdkHttp() {}

    /** Serves until it is ended. */
    public static void main(String[] args) throws IOException, GeneralSecurityException {
        for (InetSocketAddress address : Listening.addresses(args[0])) {
            HttpServer server;
            if (args.length == 1) {
                server = HttpServer.create(address, 64);
            } else {
                HttpsServer secure = HttpsServer.create(address, 64);
                secure.setHttpsConfigurator(new HttpsConfigurator(Tls.context(args[1])));
                server = secure;
            }
            server.createContext("/", JdkHttp::answer);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.start();
        }
        System.out.println("READY");
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String path = exchange.getRequestURI().getPath();
            byte[] answer =
                    path.startsWith("/bytes/")
                            ? Pattern.bytes(Integer.parseInt(path.substring(7)))
                            : Pattern.digest(body).getBytes(US_ASCII);
            exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
        }
    }
}
