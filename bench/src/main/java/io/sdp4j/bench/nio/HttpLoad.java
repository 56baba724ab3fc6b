package io.sdp4j.bench.nio;

import io.sdp4j.bench.net.Place;
import io.sdp4j.bench.net.Samples;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.FutureTask;

/**
 * Requests to the JDK's HTTP server, from its HTTP client: threads that each wait for their own.
 */
final class HttpLoad {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final HttpRequest request;

    HttpLoad(Ports ports) throws IOException {
        String url = "http://" + Place.here().getHostAddress() + ":" + ports.http() + "/";
        request = HttpRequest.newBuilder(URI.create(url)).build();
    }

    /**
     * Measures.
     *
     * @return {@code p50} and {@code p99} of a request in nanoseconds, {@code requests} a second of
     *     all threads
     */
    String measure(int threads, int warmMs, int measureMs) throws Exception {
        List<FutureTask<Samples>> tasks = new ArrayList<>();
        long from = System.nanoTime() + warmMs * 1_000_000L;
        for (int i = 0; i < threads; i++) {
            Samples samples = new Samples(measureMs, threads);
            FutureTask<Samples> task =
                    new FutureTask<>(() -> requests(samples, from, measureMs * 1_000_000L));
            tasks.add(task);
            Thread.ofPlatform().daemon().start(task);
        }
        List<Samples> all = new ArrayList<>();
        for (FutureTask<Samples> task : tasks) {
            all.add(task.get());
        }
        int[] sorted = Samples.sorted(all);
        double perSecond = sorted.length * 1000.0 / measureMs;
        return Samples.text(sorted) + String.format(Locale.ROOT, " requests=%.1f", perSecond);
    }

    private Samples requests(Samples samples, long from, long lengthNanos) throws Exception {
        long before = System.nanoTime();
        while (before - from < lengthNanos || samples.count() == 0) {
            HttpResponse<byte[]> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            if (answer.statusCode() != 200) {
                throw new IOException("status " + answer.statusCode());
            }
            long after = System.nanoTime();
            if (before >= from) {
                samples.add(after - before);
            }
            before = after;
        }
        return samples;
    }
}
