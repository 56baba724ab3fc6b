package io.sdp4j.e2e.programs;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sdp4j.api.Sdp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.util.Arrays;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Two connectors of one Jetty server: one over SDP by the explicit API, in a JVM without the agent,
 * and one over TCP.
 */
public final class ExplicitJetty {
    private static final int BYTES = 300_007;

    private ExplicitJetty() {}

    public static void main(String[] args) throws Exception {
        Server server = new Server();
        ServerConnector sdp =
                new ServerConnector(server, new HttpConnectionFactory()) {
                    @Override
                    protected ServerSocketChannel openAcceptChannel() throws IOException {
                        return Sdp.openServerSocketChannel()
                                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                    }
                };
        ServerConnector tcp = new ServerConnector(server, new HttpConnectionFactory());
        tcp.setHost("127.0.0.1");
        server.addConnector(sdp);
        server.addConnector(tcp);
        server.setHandler(new JettyHttp.Answering());
        server.start();
        System.out.println("sdp=" + visit(Sdp.openSocket(), sdp.getLocalPort()));
        System.out.println("tcp=" + visit(new Socket(), tcp.getLocalPort()));
        server.stop();
    }

    /** Whether every byte of the answer is right. */
    private static boolean visit(Socket socket, int port) throws IOException {
        try (socket) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 50_000);
            String request =
                    "GET /bytes/" + BYTES + " HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            byte[] answer = socket.getInputStream().readAllBytes();
            int from = Math.max(0, answer.length - BYTES);
            byte[] body = Arrays.copyOfRange(answer, from, answer.length);
            return Arrays.equals(Pattern.bytes(BYTES), body);
        }
    }
}
