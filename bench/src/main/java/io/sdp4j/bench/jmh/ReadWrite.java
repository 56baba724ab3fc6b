package io.sdp4j.bench.jmh;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A round trip of a {@link Socket} with itself in one JVM, for the gc profiler: two writes and two
 * reads, at both ends, must allocate nothing in the steady state. Kernel TCP as it stands; {@code
 * bench jmh --agent JAR} runs it offloaded.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ReadWrite {
    /** Bytes of a write. */
    @Param({"64", "16384"})
    public int size = 64;

    private byte[] bytes = new byte[0];
    private Socket socket = new Socket();
    private InputStream in = InputStream.nullInputStream();
    private OutputStream out = OutputStream.nullOutputStream();

    /** Connects to a thread that echoes. */
    @Setup
    public void connect() throws IOException {
        bytes = new byte[size];
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            socket = new Socket(listener.getInetAddress(), listener.getLocalPort());
            Socket peer = listener.accept();
            socket.setTcpNoDelay(true);
            peer.setTcpNoDelay(true);
            Thread.ofPlatform().daemon().start(() -> echo(peer, size));
        }
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    /** Closes; the echoing thread ends with it. */
    @TearDown
    public void close() throws IOException {
        socket.close();
    }

    /** There and back. */
    @Benchmark
    public int roundTrip() throws IOException {
        out.write(bytes);
        return in.readNBytes(bytes, 0, bytes.length);
    }

    private static void echo(Socket socket, int size) {
        byte[] bytes = new byte[size];
        try (socket) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            while (in.readNBytes(bytes, 0, size) == size) {
                out.write(bytes);
            }
        } catch (IOException gone) {
            System.err.println("echo ended: " + gone);
        }
    }
}
