package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;

import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A listener and two ends of one stream in one JVM, with the kernel sockets that hold their ports.
 */
final class StreamPair implements AutoCloseable {
    /** For a connection; the first one of a JVM, on a busy machine, loads much. */
    static final int LIMIT_SECONDS = 30;

    final OffloadStream client;
    final OffloadStream server;
    final OffloadListener listener;
    private final ServerSocket kernelListener;
    private final Socket kernelClient = new Socket();

    StreamPair(OffloadProvider provider) throws IOException, OffloadUnavailable {
        this(provider, provider);
    }

    StreamPair(OffloadProvider listening, OffloadProvider connecting)
            throws IOException, OffloadUnavailable {
        this(listening, connecting, InetAddress.getLoopbackAddress());
    }

    /** By an address of this host that the providers' fabrics serve. */
    StreamPair(OffloadProvider listening, OffloadProvider connecting, InetAddress host)
            throws IOException, OffloadUnavailable {
        kernelListener = new ProvedListener(host);
        InetSocketAddress address = (InetSocketAddress) kernelListener.getLocalSocketAddress();
        listener = listening.listen(new ListenSpec(address, false, 50, List.of(), () -> {}));
        client = connecting.connect(spec(address));
        await().atMost(Duration.ofSeconds(LIMIT_SECONDS)).until(listener::pending);
        server = listener.poll();
    }

    /** One end alone: the other one is another process's. */
    StreamPair(OffloadProvider connecting, int port) throws OffloadUnavailable {
        kernelListener = null;
        listener = null;
        server = null;
        client =
                connecting.connect(
                        spec(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    }

    /** Whether {@code what} holds of a stream now; with its lock. */
    static boolean ask(SdpStream stream, Predicate<StreamCore> what) {
        synchronized (stream.life().core) {
            return what.test(stream.life().core);
        }
    }

    /** Whether the peer may touch a buffer of the application now. */
    static boolean hasLoan(OffloadStream stream) {
        return ask(
                (SdpStream) stream,
                core -> core.machine.sink().lent() > 0 || core.machine.source().lent() > 0);
    }

    /** Bytes that came into lent buffers without a message that carried them. */
    static long lentBytes(OffloadStream stream) {
        StreamCore core = ((SdpStream) stream).life().core;
        synchronized (core) {
            return core.lending == null ? 0 : core.lending.bytesRead();
        }
    }

    private ConnectSpec spec(InetSocketAddress address) {
        return new ConnectSpec(
                address,
                _ -> {
                    kernelClient.bind(new InetSocketAddress(address.getAddress(), 0));
                    return (InetSocketAddress) kernelClient.getLocalSocketAddress();
                },
                List.of(),
                System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS),
                false,
                () -> false);
    }

    /** Reads exactly {@code len} bytes, waiting; fewer only at the end of the stream. */
    static byte[] readFully(OffloadStream s, int len) throws IOException {
        byte[] b = new byte[len];
        int done = 0;
        while (done < len) {
            int n = s.tryRead(b, done, len - done);
            if (n < 0) {
                return java.util.Arrays.copyOf(b, done);
            }
            if (n == 0) {
                s.await(OffloadStream.READ, TimeUnit.SECONDS.toNanos(10));
            }
            done += n;
        }
        return b;
    }

    /** Writes all of it, waiting. */
    static void writeFully(OffloadStream s, byte[] b) throws IOException {
        int done = 0;
        while (done < b.length) {
            int n = s.tryWrite(b, done, b.length - done);
            if (n == 0) {
                s.await(OffloadStream.WRITE, TimeUnit.SECONDS.toNanos(10));
            }
            done += n;
        }
    }

    @Override
    public void close() throws IOException {
        if (listener != null) {
            listener.close();
            kernelListener.close();
        }
        kernelClient.close();
    }
}
