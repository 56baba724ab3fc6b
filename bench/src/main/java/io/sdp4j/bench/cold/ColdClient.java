package io.sdp4j.bench.cold;

import io.sdp4j.bench.net.Commands;
import io.sdp4j.bench.net.Place;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringJoiner;
import java.util.concurrent.atomic.LongAdder;

/**
 * The measuring JVM: {@code ColdClient PORT}, then one command on standard input.
 *
 * <p>{@code crowd CONNECTIONS UNUSED FOR_MS}: makes round trips of 64 bytes on so many connections
 * with a thread each, and answers {@code requests}, how many it made a second in all.
 *
 * <p>{@code trips UNUSED FOR_MS}: connects, makes round trips of 64 bytes for that time, and
 * answers
 *
 * <ul>
 *   <li>{@code by250 … by8000}: round trips made so many milliseconds after {@code connect} was
 *       called;
 *   <li>{@code p50}, {@code p99}, {@code p999}: of the second half of the time, nanoseconds;
 *   <li>{@code memory}: bytes of private memory at the end.
 * </ul>
 *
 * <p>{@code connects UNUSED FOR_MS}: makes connections one after the other in a selector, and
 * answers {@code by250 … by4000} of them.
 *
 * <p>{@code double-trips UNUSED FOR_MS}: the same as {@code trips} for twice that time. {@code
 * late-trips UNUSED FOR_MS}: the same, with the percentiles of the last quarter. {@code long-trips
 * UNUSED FOR_MS}: the same for {@value #LONG_QUARTERS} quarters of that time, with the percentiles
 * of what comes after the first {@value #LONG_FROM}. {@code old-trips UNUSED FOR_MS}: the same for
 * {@value #OLD_QUARTERS} and {@value #OLD_FROM}, in a program that has run for {@value #OLD_MS} ms.
 */
public final class ColdClient implements Commands.Handler {
    /** Milliseconds after which the round trips are counted. */
    static final int[] MARKS_MS = {250, 500, 1000, 2000, 4000, 8000};

    private static final int LONG_QUARTERS = 35;
    private static final int LONG_FROM = 5;
    private static final int OLD_QUARTERS = 75;
    private static final int OLD_FROM = 69;
    private static final int OLD_MS = 6_000;

    private static final int SIZE_BYTES = 64;
    private static final int STEP_NANOS = 50;

    /** Round trips by their time in steps of 50 ns; the last holds all that took longer. */
    private final int[] histogram = new int[400_000];

    private final int port;

    private ColdClient(int port) {
        this.port = port;
    }

    public static void main(String[] args) throws IOException {
        Commands.obey(new ColdClient(Integer.parseInt(args[0])));
    }

    @Override
    public String obey(String command, int[] numbers) throws IOException {
        return switch (command) {
            case "trips" -> trips(numbers[1], 4, 2);
            case "double-trips" -> trips(numbers[1], 8, 4);
            case "late-trips" -> trips(numbers[1], 4, 3);
            case "long-trips" -> trips(numbers[1], LONG_QUARTERS, LONG_FROM);
            case "old-trips" -> {
                pause(OLD_MS);
                yield trips(numbers[1], OLD_QUARTERS, OLD_FROM);
            }
            case "crowd" -> crowd(numbers[0], numbers[2]);
            case "connects" -> connects(numbers[1]);
            default -> throw new IOException("unknown command " + command);
        };
    }

    private String crowd(int connections, int forMs) throws IOException {
        InetSocketAddress server = new InetSocketAddress(Place.here(), port);
        LongAdder made = new LongAdder();
        long start = System.nanoTime();
        for (int i = 0; i < connections; i++) {
            Socket socket = new Socket();
            socket.connect(server);
            socket.setTcpNoDelay(true);
            Thread.ofPlatform().daemon().start(() -> endless(socket, made));
        }
        pause(forMs);
        long trips = made.sum();
        return "requests=" + trips * 1_000_000_000L / (System.nanoTime() - start);
    }

    private static void pause(int ms) throws InterruptedIOException {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new InterruptedIOException(e.getMessage());
        }
    }

    /** Until this JVM ends. */
    private static void endless(Socket socket, LongAdder made) {
        byte[] message = new byte[SIZE_BYTES];
        try (socket) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            while (true) {
                trip(in, out, message);
                made.increment();
            }
        } catch (IOException e) {
            System.err.println("a connection of the crowd: " + e);
        }
    }

    private String connects(int forMs) throws IOException {
        StringJoiner answer = new StringJoiner(" ");
        long start = System.nanoTime();
        try (ColdConnects connects = new ColdConnects(new InetSocketAddress(Place.here(), port))) {
            int made = 0;
            for (int mark = 0; mark < MARKS_MS.length && MARKS_MS[mark] <= forMs; mark++) {
                while (System.nanoTime() - start < MARKS_MS[mark] * 1_000_000L) {
                    connects.one();
                    made++;
                }
                answer.add("by" + MARKS_MS[mark] + "=" + made);
            }
        }
        return answer.toString();
    }

    private String trips(int ms, int quarters, int steadyQuarters) throws IOException {
        long forNanos = ms * 250_000L * quarters;
        long steadyNanos = ms * 250_000L * steadyQuarters;
        long[] counts = new long[MARKS_MS.length];
        InetSocketAddress server = new InetSocketAddress(Place.here(), port);
        try (Socket socket = new Socket()) {
            long start = System.nanoTime();
            socket.connect(server);
            socket.setTcpNoDelay(true);
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            byte[] message = new byte[SIZE_BYTES];
            long made = 0;
            int mark = 0;
            long before = System.nanoTime() - start;
            while (before < forNanos) {
                trip(in, out, message);
                long after = System.nanoTime() - start;
                while (mark < MARKS_MS.length && after >= MARKS_MS[mark] * 1_000_000L) {
                    counts[mark++] = made;
                }
                made++;
                if (before >= steadyNanos) {
                    long step = (after - before) / STEP_NANOS;
                    histogram[(int) Math.min(step, histogram.length - 1)]++;
                }
                before = after;
            }
        }
        StringJoiner answer = new StringJoiner(" ");
        for (int i = 0; i < counts.length; i++) {
            answer.add("by" + MARKS_MS[i] + "=" + counts[i]);
        }
        return answer.add("p50=" + percentile(0.5))
                .add("p99=" + percentile(0.99))
                .add("p999=" + percentile(0.999))
                .add("memory=" + privateBytes())
                .toString();
    }

    /** One message there and back. */
    static void trip(InputStream in, OutputStream out, byte[] message) throws IOException {
        out.write(message);
        if (in.readNBytes(message, 0, message.length) < message.length) {
            throw new EOFException("the server left");
        }
    }

    private long percentile(double share) {
        long total = 0;
        for (int count : histogram) {
            total += count;
        }
        long wanted = (long) Math.ceil(total * share);
        long seen = 0;
        int step = 0;
        while (step < histogram.length - 1 && (seen += histogram[step]) < wanted) {
            step++;
        }
        return (long) step * STEP_NANOS;
    }

    /** Memory that only this process has, as the kernel counts it. */
    private static long privateBytes() throws IOException {
        long kib = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps_rollup"))) {
            if (line.startsWith("Private_")) {
                kib += Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return kib * 1024;
    }
}
