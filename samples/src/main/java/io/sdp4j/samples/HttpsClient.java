package io.sdp4j.samples;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SplittableRandom;
import javax.net.ssl.HttpsURLConnection;

/**
 * Talks to an {@link HttpsServer} through {@link HttpsURLConnection}.
 *
 * <p>Options: {@code --host} (default 127.0.0.1), {@code --port}, {@code --requests} small ones to
 * make (default 50), {@code --large} bytes of a large one in each direction (default 4 MiB). The
 * server's certificate must be in the trust store given with {@code -Djavax.net.ssl.trustStore}.
 */
public final class HttpsClient {
    private HttpsClient() {}

    /** Requests, prints what came back, stops the server. */
    public static void main(String[] args) throws IOException, NoSuchAlgorithmException {
        Options options = Options.parse(args, "host", "port", "requests", "large");
        String base =
                "https://" + options.text("host", "127.0.0.1") + ":" + options.number("port", 443);
        MessageDigest small = MessageDigest.getInstance("SHA-256");
        for (int i = 0; i < options.number("requests", 50); i++) {
            small.update(get(base + "/bytes/" + i));
        }
        System.out.println("small_gets=" + HexFormat.of().formatHex(small.digest()));
        int large = options.number("large", 4 << 20);
        MessageDigest got = MessageDigest.getInstance("SHA-256");
        try (InputStream in = open(base + "/bytes/" + large).getInputStream()) {
            in.transferTo(new DigestOutputStream(OutputStream.nullOutputStream(), got));
        }
        System.out.println("large_get=" + HexFormat.of().formatHex(got.digest()));
        byte[] body = new byte[large];
        new SplittableRandom(1).nextBytes(body);
        String expected =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        String answer = post(base + "/sha256", body);
        System.out.println("post=" + answer);
        System.out.println("post_correct=" + answer.equals(expected));
        System.out.println("missing=" + status(base + "/nowhere"));
        System.out.println("stop=" + new String(get(base + "/stop"), US_ASCII));
    }

    private static byte[] get(String url) throws IOException {
        try (InputStream in = open(url).getInputStream()) {
            return in.readAllBytes();
        }
    }

    private static int status(String url) throws IOException {
        HttpsURLConnection connection = open(url);
        int status = connection.getResponseCode();
        try (InputStream in = connection.getErrorStream()) {
            if (in != null) {
                in.readAllBytes();
            }
        }
        return status;
    }

    private static String post(String url, byte[] body) throws IOException {
        HttpsURLConnection connection = open(url);
        connection.setDoOutput(true);
        connection.setFixedLengthStreamingMode(body.length);
        try (OutputStream out = connection.getOutputStream()) {
            out.write(body);
        }
        try (InputStream in = connection.getInputStream()) {
            return new String(in.readAllBytes(), US_ASCII);
        }
    }

    private static HttpsURLConnection open(String url) throws IOException {
        HttpsURLConnection connection =
                (HttpsURLConnection) URI.create(url).toURL().openConnection();
        connection.setConnectTimeout(10_000);
        connection.setReadTimeout(30_000);
        return connection;
    }
}
