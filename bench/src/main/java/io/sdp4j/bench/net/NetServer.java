package io.sdp4j.bench.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;

/**
 * The answering JVM of the benchmark: {@code NetServer tcp}, {@code NetServer unix PATH}, or {@code
 * NetServer both}, which listens with a channel, too.
 *
 * <p>Prints {@code READY target}, ends when its standard input does. The first byte of a connection
 * tells what to do: {@link #CLOSE} closes at once, on the accepting thread; after {@link #STAY} a
 * thread serves requests of 13 bytes, {@code op(1) size(4) total(8)}, until the client closes:
 *
 * <ul>
 *   <li>{@link #ECHO}: blocks of {@code size} come back until one starts with 0;
 *   <li>{@link #SINK}: {@code total} bytes are read, at most {@code size} at a time;
 *   <li>{@link #IDLE}: one byte is read.
 * </ul>
 *
 * Each is answered at the end with the process's CPU nanoseconds and the thread's allocated bytes
 * during the request (8 + 8 bytes); of {@link #IDLE} the second is the process's {@linkplain
 * Usage#contextSwitches context switches}.
 */
public final class NetServer {
    static final int CLOSE = 'C';
    public static final int STAY = 'B';
    static final int ECHO = 'E';
    static final int SINK = 'S';
    static final int IDLE = 'I';
    static final int REQUEST_BYTES = 13;
    static final int ANSWER_BYTES = 16;

    private NetServer() {}

    /** Listens and serves until standard input ends. */
    public static void main(String[] args) throws IOException {
        if (args[0].equals("unix")) {
            ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            listener.bind(UnixDomainSocketAddress.of(Path.of(args[1])));
            accepting(() -> staying(new Link.ChannelLink(listener.accept())));
            System.out.println("READY unix:" + args[1]);
        } else {
            ServerSocket listener = new ServerSocket(0, 1000, Place.here());
            accepting(() -> accepted(listener));
            String ports = String.valueOf(listener.getLocalPort());
            if (args[0].equals("both")) {
                ServerSocketChannel channels = ServerSocketChannel.open();
                channels.bind(new InetSocketAddress(Place.here(), 0));
                accepting(() -> staying(new Link.ChannelLink(channels.accept())));
                ports += "," + channels.socket().getLocalPort();
            }
            System.out.println("READY " + ports);
        }
        untilInputEnds();
    }

    /** Ends the JVM when standard input ends. */
    public static void untilInputEnds() throws IOException {
        while (System.in.read() >= 0) {
            // nothing is said to a server but the end
        }
        System.exit(0);
    }

    /** Waits for connections. */
    public interface Acceptor {
        /**
         * The next connection to serve, whose first byte was read; null when it has been dealt
         * with.
         */
        Link next() throws IOException;
    }

    /** Serves what {@code acceptor} gives, each on a thread of its own, from now on. */
    public static void accepting(Acceptor acceptor) {
        Thread.ofPlatform()
                .daemon()
                .name("accept")
                .start(
                        () -> {
                            while (true) {
                                try {
                                    Link link = acceptor.next();
                                    if (link != null) {
                                        Thread.ofPlatform().daemon().start(() -> serve(link));
                                    }
                                } catch (IOException broken) {
                                    System.err.println("accept: " + broken);
                                }
                            }
                        });
    }

    private static Link accepted(ServerSocket listener) throws IOException {
        Socket socket = listener.accept();
        if (socket.getInputStream().read() != STAY) {
            socket.close(); // before it has cost a buffer
            return null;
        }
        return new Link.SocketLink(socket);
    }

    /** Reads the first byte of a connection that has its link already. */
    public static Link staying(Link link) throws IOException {
        link.readFully(1);
        return link;
    }

    private static void serve(Link link) {
        try (link) {
            while (link.readFully(REQUEST_BYTES)) {
                ByteBuffer request = link.buffer();
                int op = request.get(0);
                int sizeBytes = request.getInt(1);
                long totalBytes = request.getLong(5);
                long cpu = Usage.cpuNanos();
                long counted = count(op);
                switch (op) {
                    case ECHO -> echo(link, sizeBytes);
                    case SINK -> sink(link, sizeBytes, totalBytes);
                    case IDLE -> link.readFully(1);
                    default -> throw new IOException("unknown request " + op);
                }
                counted = count(op) - counted;
                link.buffer().putLong(0, Usage.cpuNanos() - cpu).putLong(8, counted);
                link.write(ANSWER_BYTES);
            }
        } catch (IOException gone) {
            System.err.println("connection ended: " + gone);
        }
    }

    private static long count(int op) throws IOException {
        return op == IDLE ? Usage.contextSwitches() : Usage.allocatedBytes();
    }

    private static void echo(Link link, int sizeBytes) throws IOException {
        link.noDelay();
        do {
            if (!link.readFully(sizeBytes)) {
                throw new IOException("the client left");
            }
            link.write(sizeBytes);
        } while (link.buffer().get(0) != 0);
    }

    private static void sink(Link link, int sizeBytes, long totalBytes) throws IOException {
        for (long left = totalBytes; left > 0; ) {
            int n = link.read(0, (int) Math.min(left, sizeBytes));
            if (n < 0) {
                throw new IOException("the client left, " + left + " bytes missing");
            }
            left -= n;
        }
    }
}
