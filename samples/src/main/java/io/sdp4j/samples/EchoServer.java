package io.sdp4j.samples;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Sends back what it gets, one thread per connection, until it is killed or has served enough.
 *
 * <p>Options: {@code --host} address to listen on (default 127.0.0.1, {@code *} for all), {@code
 * --port} (0 takes a free one), {@code --connections} to serve before it ends (default 0: no end),
 * {@code --virtual} true to use virtual threads.
 */
public final class EchoServer {
    private EchoServer() {}

    /** Listens, prints {@code READY port}, serves. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Options options = Options.parse(args, "host", "port", "connections", "virtual");
        String host = options.text("host", "127.0.0.1");
        int connections = options.number("connections", 0);
        Thread.Builder threads =
                Boolean.parseBoolean(options.text("virtual", "false"))
                        ? Thread.ofVirtual()
                        : Thread.ofPlatform();
        try (ServerSocket listener = new ServerSocket()) {
            InetAddress address = host.equals("*") ? null : InetAddress.getByName(host);
            listener.bind(new InetSocketAddress(address, options.number("port", 0)));
            System.out.println("READY " + listener.getLocalPort());
            Thread last = null;
            for (int served = 0; connections == 0 || served < connections; served++) {
                Socket socket = listener.accept();
                last = threads.start(() -> echo(socket));
            }
            if (last != null) {
                last.join();
            }
        }
    }

    private static void echo(Socket socket) {
        try (socket;
                InputStream in = socket.getInputStream()) {
            in.transferTo(socket.getOutputStream());
        } catch (IOException gone) {
            System.err.println("connection ended: " + gone);
        }
    }
}
