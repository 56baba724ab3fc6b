package io.sdp4j.agent.cli;

import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.zip.CRC32;

/**
 * One connection of this host with itself over a fabric, through everything that the connections of
 * applications use: bytes there and back, compared at both ends, and round trips.
 *
 * <p>Says each step before it takes it, so that the user knows where it stopped. Whatever happens
 * it ends at the deadline, unless a call into a driver does not come back.
 *
 * @param address of this host, on the device
 * @param deadlineNanos {@link System#nanoTime()} value
 * @param out takes {@code KEY=VALUE} lines: {@code step} before each step, then results
 */
record DeviceTest(
        OffloadProvider provider,
        String fabric,
        InetAddress address,
        long deadlineNanos,
        Consumer<String> out) {
    private static final int PAYLOAD_BYTES = 1 << 20;
    private static final int BLOCK_BYTES = 64 << 10;
    private static final int PING_BYTES = 64;
    private static final int PINGS = 200;
    private static final int PORTS_TRIED = 5;

    /** Steps, in order. */
    enum Step {
        OPEN("opening the fabric"),
        LISTEN("listening"),
        CONNECT("connecting"),
        TRANSFER("sending and comparing"),
        ROUND_TRIPS("round trips"),
        CLOSE("closing");

        private final String words;

        Step(String words) {
            this.words = words;
        }

        /** For people, as what was going on. */
        String words() {
            return words;
        }

        /** For programs. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static void say(Consumer<String> out, Step step) {
        out.accept("step=" + step.word());
    }

    /**
     * Runs the test.
     *
     * @throws IOException why it failed; the step that was said last is the one
     * @throws OffloadUnavailable likewise
     */
    void run() throws IOException, OffloadUnavailable, InterruptedException {
        say(out, Step.LISTEN);
        try (Listening listening = listen()) {
            say(out, Step.CONNECT);
            // the first connection of a JVM loads what it needs: it is not the one to be timed
            connection(listening, false);
            connection(listening, true);
        }
    }

    private void connection(Listening listening, boolean talk)
            throws IOException, OffloadUnavailable, InterruptedException {
        try (Socket local = new Socket()) {
            long start = System.nanoTime();
            OffloadStream client = connect(listening.address(), local);
            boolean ended = false;
            try {
                if (!listening.pending.tryAcquire(leftNanos(), TimeUnit.NANOSECONDS)) {
                    throw new SocketTimeoutException("the listener saw no connection");
                }
                OffloadStream accepted = listening.listener.poll();
                if (talk) {
                    result("connect_us", micros(System.nanoTime() - start));
                    converse(client, new Echo(accepted));
                } else {
                    accepted.close(false);
                }
                ended = true;
            } finally {
                client.close(!ended);
            }
        }
    }

    private void converse(OffloadStream client, Echo echo)
            throws IOException, InterruptedException {
        say(out, Step.TRANSFER);
        CRC32 sent = new CRC32();
        long bytes = transfer(client, sent);
        say(out, Step.ROUND_TRIPS);
        roundTrips(client, sent);
        say(out, Step.CLOSE);
        client.shutdownOutput();
        if (read(client, new byte[1], 0) >= 0) {
            throw new IOException("there is more than was sent");
        }
        long received = echo.end(leftNanos());
        if (received != sent.getValue()) {
            throw new IOException("bytes differ at the listener's end");
        }
        result("bytes", Long.toString(bytes));
    }

    /** Payload in blocks, each there and back. */
    private long transfer(OffloadStream client, CRC32 sent) throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        byte[] back = new byte[BLOCK_BYTES];
        SplittableRandom random = new SplittableRandom(BLOCK_BYTES);
        long start = System.nanoTime();
        long bytes = 0;
        // half of the time is for the rest
        long until = deadlineNanos - leftNanos() / 2;
        do {
            random.nextBytes(block);
            sent.update(block);
            write(client, block);
            readFully(client, back);
            if (!Arrays.equals(block, back)) {
                throw new IOException("bytes came back different");
            }
            bytes += block.length;
        } while (bytes < PAYLOAD_BYTES && until - System.nanoTime() > 0);
        result("transfer_us", micros(System.nanoTime() - start));
        return bytes;
    }

    private void roundTrips(OffloadStream client, CRC32 sent) throws IOException {
        byte[] ping = new byte[PING_BYTES];
        byte[] back = new byte[PING_BYTES];
        long[] nanos = new long[PINGS];
        int done = 0;
        long until = deadlineNanos - leftNanos() / 2;
        do {
            ping[0] = (byte) done;
            sent.update(ping);
            long start = System.nanoTime();
            write(client, ping);
            readFully(client, back);
            nanos[done++] = System.nanoTime() - start;
            if (!Arrays.equals(ping, back)) {
                throw new IOException("bytes came back different");
            }
        } while (done < PINGS && until - System.nanoTime() > 0);
        Arrays.sort(nanos, 0, done);
        result("round_trips", Integer.toString(done));
        result("round_trip_us", micros(nanos[done / 2]));
    }

    private void result(String key, String value) {
        out.accept(key + "=" + value);
    }

    private static String micros(long nanos) {
        return Long.toString(TimeUnit.NANOSECONDS.toMicros(nanos));
    }

    private long leftNanos() {
        return deadlineNanos - System.nanoTime();
    }

    // ---- set-up

    /**
     * @param port the kernel's listener, which owns the port
     * @param pending one permit for each connection
     */
    private record Listening(ServerSocket port, OffloadListener listener, Semaphore pending)
            implements Closeable {
        InetSocketAddress address() {
            return (InetSocketAddress) port.getLocalSocketAddress();
        }

        @Override
        public void close() throws IOException {
            listener.close();
            port.close();
        }
    }

    /** Where TCP owns the ports, RDMA has one of its own for each, which may be taken. */
    private Listening listen() throws IOException, OffloadUnavailable {
        for (int left = PORTS_TRIED; ; left--) {
            ServerSocket port = new ServerSocket(0, 1, address);
            Semaphore pending = new Semaphore(0);
            try {
                InetSocketAddress at = (InetSocketAddress) port.getLocalSocketAddress();
                ListenSpec spec = new ListenSpec(at, false, 1, List.of(fabric), pending::release);
                return new Listening(port, provider.listen(spec), pending);
            } catch (OffloadUnavailable e) {
                port.close();
                if (left <= 1) {
                    throw e;
                }
            }
        }
    }

    private OffloadStream connect(InetSocketAddress to, Socket local) throws OffloadUnavailable {
        return provider.connect(
                new ConnectSpec(
                        to,
                        _ -> {
                            local.bind(new InetSocketAddress(address, 0));
                            return (InetSocketAddress) local.getLocalSocketAddress();
                        },
                        List.of(fabric),
                        deadlineNanos,
                        true,
                        () -> false));
    }

    // ---- whole reads and writes on top of operations that never block

    private void write(OffloadStream stream, byte[] bytes) throws IOException {
        int done = 0;
        while (done < bytes.length) {
            int n = stream.tryWrite(bytes, done, bytes.length - done);
            if (n == 0) {
                await(stream, OffloadStream.WRITE);
            }
            done += n;
        }
    }

    private void readFully(OffloadStream stream, byte[] into) throws IOException {
        int done = 0;
        while (done < into.length) {
            int n = read(stream, into, done);
            if (n < 0) {
                throw new EOFException("the stream ended early");
            }
            done += n;
        }
    }

    /** At least one byte, or -1 at the end. */
    private int read(OffloadStream stream, byte[] into, int at) throws IOException {
        int n = stream.tryRead(into, at, into.length - at);
        while (n == 0) {
            await(stream, OffloadStream.READ);
            n = stream.tryRead(into, at, into.length - at);
        }
        return n;
    }

    private void await(OffloadStream stream, int op) throws SocketTimeoutException {
        long left = leftNanos();
        if (left <= 0) {
            throw new SocketTimeoutException("nothing more came in time");
        }
        stream.await(op, left);
    }

    /**
     * The listener's end: sends back what comes, until the end of the stream. Its thread ends at
     * the deadline, or when the other end is cut.
     */
    private final class Echo {
        private final OffloadStream stream;
        private final FutureTask<Long> task = new FutureTask<>(this::echo);

        Echo(OffloadStream stream) {
            this.stream = stream;
            Thread.ofPlatform().daemon().name("echo").start(task);
        }

        private Long echo() throws IOException {
            CRC32 received = new CRC32();
            byte[] block = new byte[BLOCK_BYTES];
            boolean ended = false;
            try {
                int n = read(stream, block, 0);
                while (n >= 0) {
                    received.update(block, 0, n);
                    write(stream, Arrays.copyOf(block, n));
                    n = read(stream, block, 0);
                }
                stream.shutdownOutput();
                ended = true;
                return received.getValue();
            } finally {
                stream.close(!ended);
            }
        }

        /** Checksum of all that came. */
        long end(long nanos) throws IOException, InterruptedException {
            try {
                return task.get(nanos, TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                throw new IOException("at the listener's end: " + e.getCause(), e);
            } catch (TimeoutException e) {
                throw new SocketTimeoutException("the listener's end did not come to an end");
            }
        }
    }
}
