package io.sdp4j.samples;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Locale;
import java.util.SplittableRandom;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/**
 * A small HTTPS server on {@link SSLServerSocket}: HTTP/1.1, kept-alive connections, bodies with a
 * length.
 *
 * <p>{@code GET /bytes/N} gives {@code N} pseudo-random bytes (the same for the same {@code N});
 * {@code POST /sha256} gives the digest of the body; {@code GET /stop} ends the server.
 *
 * <p>Options: {@code --host} (default 127.0.0.1), {@code --port} (0 takes a free one), {@code
 * --keystore} file, {@code --password} of it.
 */
public final class HttpsServer {
    private static final int MAX_BYTES = 128 << 20;

    private final SSLServerSocket listener;
    private volatile boolean stopping;

    private HttpsServer(SSLServerSocket listener) {
        this.listener = listener;
    }

    /** Listens, prints {@code READY port}, serves until told to stop. */
    public static void main(String[] args) throws IOException, GeneralSecurityException {
        Options options = Options.parse(args, "host", "port", "keystore", "password");
        char[] password = options.text("password", "").toCharArray();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream file =
                Files.newInputStream(Path.of(options.text("keystore", "keystore.p12")))) {
            keys.load(file, password);
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
        factory.init(keys, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        try (SSLServerSocket listener =
                (SSLServerSocket)
                        context.getServerSocketFactory()
                                .createServerSocket(
                                        options.number("port", 0),
                                        50,
                                        InetAddress.getByName(options.text("host", "127.0.0.1")))) {
            System.out.println("READY " + listener.getLocalPort());
            new HttpsServer(listener).run();
        }
    }

    private void run() throws IOException {
        while (!stopping) {
            Socket socket;
            try {
                socket = listener.accept();
            } catch (IOException closed) {
                if (stopping) {
                    return; // a request for /stop closed the listener
                }
                throw closed;
            }
            Thread.ofPlatform().daemon().start(() -> serve(socket));
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            for (String request = line(in); !request.isEmpty(); request = line(in)) {
                long length = 0;
                for (String header = line(in); !header.isEmpty(); header = line(in)) {
                    String lower = header.toLowerCase(Locale.ROOT);
                    if (lower.startsWith("content-length:")) {
                        length = Long.parseLong(lower.substring(15).strip());
                    }
                }
                answer(request, in.readNBytes((int) Math.min(length, MAX_BYTES)), out);
            }
        } catch (IOException | GeneralSecurityException gone) {
            System.err.println("connection ended: " + gone);
        }
        if (stopping) {
            try {
                listener.close();
            } catch (IOException ignored) {
                // it is going away anyhow
            }
        }
    }

    private void answer(String request, byte[] body, OutputStream out)
            throws IOException, GeneralSecurityException {
        String[] words = request.split(" ", 3);
        String path = words.length > 1 ? words[1] : "";
        if (path.startsWith("/bytes/")) {
            byte[] bytes = new byte[Math.min(MAX_BYTES, Integer.parseInt(path.substring(7)))];
            new SplittableRandom(bytes.length).nextBytes(bytes);
            respond(out, "200 OK", bytes);
        } else if (path.equals("/sha256")) {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
            respond(out, "200 OK", HexFormat.of().formatHex(digest).getBytes(US_ASCII));
        } else if (path.equals("/stop")) {
            stopping = true;
            respond(out, "200 OK", "stopping".getBytes(US_ASCII));
        } else {
            respond(out, "404 Not Found", path.getBytes(ISO_8859_1));
        }
    }

    private void respond(OutputStream out, String status, byte[] body) throws IOException {
        String connection = stopping ? "close" : "keep-alive";
        out.write(
                ("HTTP/1.1 "
                                + status
                                + "\r\nContent-Type: application/octet-stream\r\nContent-Length: "
                                + body.length
                                + "\r\nConnection: "
                                + connection
                                + "\r\n\r\n")
                        .getBytes(ISO_8859_1));
        out.write(body);
        out.flush();
    }

    /** One line without its CR LF; empty at the end of the stream as well. */
    private String line(InputStream in) throws IOException {
        if (stopping) {
            return "";
        }
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(ISO_8859_1);
    }
}
