package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Commands;
import io.sdp4j.bench.net.Place;
import io.sdp4j.bench.net.Usage;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The measuring JVM: {@code AppsClient JETTY_PORT,NETTY_PORT}, then one command on standard input,
 * each with two numbers of its own, one that is not used, and the milliseconds to measure:
 *
 * <ul>
 *   <li>{@code http1 BYTES THREADS}, {@code http2 BYTES THREADS}: the JDK's client gets so much
 *       from Jetty, each thread one answer after the other;
 *   <li>{@code post BYTES THREADS}: it sends so much;
 *   <li>{@code netty BYTES CONNECTIONS}: messages there and back, one after the other on each.
 * </ul>
 *
 * <p>The answer: {@code requests-first} a second in the first quarter of the time, {@code
 * requests-later} in the rest; {@code cpu-first}, {@code cpu-later}: nanoseconds of processor time
 * that the whole machine has used for each.
 */
public final class AppsClient implements Commands.Worker {
    private final int jetty;
    private final int netty;

    private AppsClient(String ports) {
        jetty = Integer.parseInt(ports.substring(0, ports.indexOf(',')));
        netty = Integer.parseInt(ports.substring(ports.indexOf(',') + 1));
    }

    /** Answers commands until standard input ends. */
    public static void main(String[] args) throws IOException {
        Commands.obey(new AppsClient(args[0]));
    }

    @Override
    public String obey(String command, int[] n) throws Exception {
        AtomicLong done = new AtomicLong();
        long start = System.nanoTime();
        long cpuStart = Usage.machineNanos();
        switch (command) {
            case "http1" -> get(HttpClient.Version.HTTP_1_1, n[0], n[1], done);
            case "http2" -> get(HttpClient.Version.HTTP_2, n[0], n[1], done);
            case "post" -> post(n[0], n[1], done);
            case "netty" -> NettyTrips.start(netty, n[0], n[1], done);
            default -> throw new IOException("unknown command " + command);
        }
        int firstMs = n[3] / 4;
        sleepUntil(start + firstMs * 1_000_000L);
        long first = done.get();
        long cpuFirst = Usage.machineNanos();
        sleepUntil(start + n[3] * 1_000_000L);
        long later = done.get() - first;
        long cpuLater = Usage.machineNanos();
        if (first == 0 || later == 0) {
            throw new IOException("answered: " + first + " at first, " + later + " later");
        }
        return String.format(
                Locale.ROOT,
                "requests-first=%.2f requests-later=%.2f cpu-first=%.0f cpu-later=%.0f",
                first * 1e3 / firstMs,
                later * 1e3 / (n[3] - firstMs),
                (double) (cpuFirst - cpuStart) / first,
                (double) (cpuLater - cpuFirst) / later);
    }

    private static void sleepUntil(long nanoTime) throws InterruptedException {
        long left = nanoTime - System.nanoTime();
        if (left > 0) {
            Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
        }
    }

    private void get(HttpClient.Version version, int bytes, int threads, AtomicLong done)
            throws IOException {
        HttpRequest request = HttpRequest.newBuilder(uri("" + bytes)).build();
        send(version, request, bytes, threads, done);
    }

    private void post(int bytes, int threads, AtomicLong done) throws IOException {
        HttpRequest request =
                HttpRequest.newBuilder(uri("post"))
                        .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[bytes]))
                        .build();
        send(HttpClient.Version.HTTP_1_1, request, 0, threads, done);
    }

    private URI uri(String path) throws IOException {
        return URI.create("http://" + Place.here().getHostAddress() + ":" + jetty + "/" + path);
    }

    private static void send(
            HttpClient.Version version,
            HttpRequest request,
            int answerBytes,
            int threads,
            AtomicLong done) {
        HttpClient client = HttpClient.newBuilder().version(version).build();
        for (int i = 0; i < threads; i++) {
            Thread.ofPlatform()
                    .daemon()
                    .start(() -> sendForEver(client, request, answerBytes, done));
        }
    }

    private static void sendForEver(
            HttpClient client, HttpRequest request, int answerBytes, AtomicLong done) {
        try {
            while (true) {
                var answer =
                        client.send(request, java.net.http.HttpResponse.BodyHandlers.ofByteArray());
                if (answer.statusCode() != 200 || answer.body().length != answerBytes) {
                    throw new IOException("answer " + answer.statusCode());
                }
                done.incrementAndGet();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e); // ends this thread, seen on standard error
        }
    }
}
