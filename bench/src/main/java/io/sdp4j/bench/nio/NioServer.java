package io.sdp4j.bench.nio;

import com.sun.net.httpserver.HttpServer;
import io.sdp4j.bench.net.Link;
import io.sdp4j.bench.net.NetServer;
import io.sdp4j.bench.net.Place;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * The answering JVM of the benchmark of channels. Prints {@code READY} and its {@link Ports}, ends
 * when its standard input does.
 *
 * <p>Channels, in selectors or not, are served as {@link NetServer} serves sockets. The first byte
 * of a channel in a selector may also be {@link #IDLE}: then it waits, and is put into the selector
 * of the next channel that begins with {@link #CROWDED} and the number of those waiting (4 bytes).
 */
public final class NioServer {
    static final int IDLE = 'I';
    static final int CROWDED = 'C';
    private static final int BACKLOG = 200;
    private static final int PAGE_BYTES = 256;

    /** Guarded by itself. */
    private static final List<SocketChannel> WAITING = new ArrayList<>();

    private NioServer() {}

    /** Listens and serves until standard input ends. */
    public static void main(String[] args) throws Exception {
        ServerSocketChannel channels = listener(Place.here());
        NetServer.accepting(() -> NetServer.staying(new Link.ChannelLink(channels.accept())));
        ServerSocketChannel selectors = listener(Place.here());
        NetServer.accepting(() -> inSelector(selectors.accept()));
        ServerSocketChannel kernel = listener(Ports.kernelHere());
        NetServer.accepting(() -> inSelector(kernel.accept()));
        Ports ports =
                new Ports(
                        port(channels),
                        port(selectors),
                        port(kernel),
                        NettyEcho.listen(Place.here()),
                        http());
        System.out.println("READY " + ports.text());
        NetServer.untilInputEnds();
    }

    private static ServerSocketChannel listener(InetAddress address) throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(address, 0), BACKLOG);
    }

    private static int port(ServerSocketChannel listener) throws IOException {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    /** Null for a channel that waits. */
    private static Link inSelector(SocketChannel channel) throws IOException {
        ByteBuffer first = read(channel, 1);
        if (first.get(0) == IDLE) {
            synchronized (WAITING) {
                WAITING.add(channel);
                WAITING.notifyAll();
            }
            return null;
        }
        return new SelectorLink(
                channel, first.get(0) == CROWDED ? idlers(read(channel, 4).getInt(0)) : List.of());
    }

    /** Waits until so many channels wait; they come by other listeners, too. */
    private static List<SocketChannel> idlers(int size) throws IOException {
        synchronized (WAITING) {
            try {
                while (WAITING.size() < size) {
                    WAITING.wait();
                }
            } catch (InterruptedException e) {
                throw new InterruptedIOException("interrupted");
            }
            List<SocketChannel> idlers = List.copyOf(WAITING);
            WAITING.clear();
            return idlers;
        }
    }

    private static ByteBuffer read(SocketChannel channel, int lenBytes) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(lenBytes);
        while (into.hasRemaining()) {
            if (channel.read(into) < 0) {
                throw new EOFException("gone before its first words");
            }
        }
        return into;
    }

    /** The JDK's server with one small page, served by its own thread. */
    private static int http() throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // else TCP waits 40 ms at times
        byte[] page = new byte[PAGE_BYTES];
        HttpServer server = HttpServer.create(new InetSocketAddress(Place.here(), 0), BACKLOG);
        server.createContext(
                "/",
                exchange -> {
                    exchange.sendResponseHeaders(200, page.length);
                    try (OutputStream body = exchange.getResponseBody()) {
                        body.write(page);
                    }
                });
        server.start();
        return server.getAddress().getPort();
    }
}
