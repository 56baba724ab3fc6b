package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * The JDK's HTTP client, which offers HTTP/2: requests one after the other and many at once,
 * answers of every size. Arguments: the ports, and for TLS a key store to trust.
 */
public final class HttpVisitor {
    private final HttpClient client;
    private final String base;
    private final TreeSet<String> versions = new TreeSet<>();

    private HttpVisitor(HttpClient client, String base) {
        this.client = client;
        this.base = base;
    }

    /** Visits and prints what came of it. */
    public static void main(String[] args)
            throws IOException, InterruptedException, GeneralSecurityException {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2);
        if (args.length > 1) {
            builder.sslContext(Tls.context(args[1]));
        }
        try (HttpClient client = builder.build()) {
            String scheme = args.length > 1 ? "https" : "http";
            int visits = 0;
            for (int port : Listening.ports(args[0])) {
                new HttpVisitor(client, scheme + "://127.0.0.1:" + port).visit(new Visit(++visits));
            }
        }
    }

    private void visit(Visit visit) throws IOException, InterruptedException {
        boolean right = true;
        for (int i = 0; i < 30; i++) {
            right &= check(i * i * 100, client.send(get(i * i * 100), BodyHandlers.ofByteArray()));
        }
        List<CompletableFuture<Boolean>> many = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int length = 1000 + i * 5000;
            many.add(
                    client.sendAsync(get(length), BodyHandlers.ofByteArray())
                            .thenApply(answer -> check(length, answer)));
        }
        for (CompletableFuture<Boolean> one : many) {
            right &= one.join();
        }
        byte[] large = Pattern.bytes(1_000_000);
        HttpRequest post =
                HttpRequest.newBuilder(URI.create(base + "/digest"))
                        .POST(BodyPublishers.ofByteArray(large))
                        .build();
        String digest = client.send(post, BodyHandlers.ofString()).body();
        right &= digest.equals(Pattern.digest(large));
        visit.tell("right", right);
        visit.tell("digest", digest);
        visit.tell("versions", versions);
    }

    private HttpRequest get(int length) {
        return HttpRequest.newBuilder(URI.create(base + "/bytes/" + length)).build();
    }

    private synchronized boolean check(int length, HttpResponse<byte[]> answer) {
        versions.add(answer.version().toString());
        return answer.statusCode() == 200 && Arrays.equals(Pattern.bytes(length), answer.body());
    }
}
