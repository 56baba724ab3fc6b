package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/**
 * The JDK's {@code HttpClient}, as it is without settings, and a web server that answers {@code GET
 * /N} with N bytes and any {@code POST}, once it has read it, with none.
 */
record HttpApp(HttpServing server, HttpClient.Version version, boolean isPost) implements App {
    /** Starts a web server. */
    interface HttpServing {
        /** See {@link App#serve}. */
        int serve() throws Exception;
    }

    static HttpApp gets(HttpServing server) {
        return new HttpApp(server, HttpClient.Version.HTTP_1_1, false);
    }

    static HttpApp getsByHttp2(HttpServing server) {
        return new HttpApp(server, HttpClient.Version.HTTP_2, false);
    }

    static HttpApp posts(HttpServing server) {
        return new HttpApp(server, HttpClient.Version.HTTP_1_1, true);
    }

    @Override
    public int serve() throws Exception {
        return server.serve();
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally) throws IOException {
        URI server = URI.create("http://" + Place.here().getHostAddress() + ":" + port);
        HttpRequest request =
                isPost
                        ? HttpRequest.newBuilder(server.resolve("/post"))
                                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[bytes]))
                                .build()
                        : HttpRequest.newBuilder(server.resolve("/" + bytes)).build();
        int answerBytes = isPost ? 0 : bytes;
        HttpClient client = HttpClient.newBuilder().version(version).build();
        for (int i = 0; i < atOnce; i++) {
            tally.repeat(() -> send(client, request, answerBytes));
        }
    }

    private static void send(HttpClient client, HttpRequest request, int answerBytes)
            throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200 || answer.body().length != answerBytes) {
            throw new IOException("status " + answer.statusCode());
        }
    }
}
