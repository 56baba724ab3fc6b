package io.sdp4j.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.GrpcEcho;
import io.sdp4j.e2e.programs.HttpVisitor;
import io.sdp4j.e2e.programs.JdkHttp;
import io.sdp4j.e2e.programs.JettyHttp;
import io.sdp4j.e2e.programs.KafkaBroker;
import io.sdp4j.e2e.programs.KafkaRecords;
import io.sdp4j.e2e.programs.NettyEcho;
import io.sdp4j.e2e.programs.Tls;
import io.sdp4j.e2e.programs.ZooServer;
import io.sdp4j.e2e.programs.ZooVisitor;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;

/**
 * The real applications on channels and selectors: how their servers and clients are started, and
 * how a client without Java, or at least without the agent, asks the same server.
 */
enum ChannelApplication {
    JDK_HTTP(JdkHttp.class, HttpVisitor.class) {
        @Override
        void outsider(Place place, int port) throws Exception {
            get(place, "http://127.0.0.1:" + port);
        }
    },

    JDK_HTTPS(JdkHttp.class, HttpVisitor.class) {
        @Override
        List<String> arguments(Place place) {
            return List.of(place.keys().toString());
        }

        @Override
        void outsider(Place place, int port) throws Exception {
            get(place, "https://127.0.0.1:" + port);
        }
    },

    /** Takes the upgrade to HTTP/2 that HttpClient offers. */
    JETTY_HTTP2(JettyHttp.class, HttpVisitor.class) {
        @Override
        void outsider(Place place, int port) throws Exception {
            get(place, "http://127.0.0.1:" + port);
        }
    },

    NETTY_TLS(NettyEcho.class, NettyEcho.class) {
        @Override
        List<String> arguments(Place place) {
            return List.of(place.keys().toString());
        }

        @Override
        void outsider(Place place, int port) throws Exception {
            SSLContext tls = Tls.context(place.keys().toString());
            try (Socket plain = plain(port);
                    Socket socket =
                            tls.getSocketFactory().createSocket(plain, "127.0.0.1", port, true)) {
                socket.getOutputStream().write("plain".getBytes(US_ASCII));
                byte[] answer = socket.getInputStream().readNBytes(5);
                assertEquals("plain", new String(answer, US_ASCII));
            }
        }
    },

    GRPC(GrpcEcho.class, GrpcEcho.class) {
        @Override
        void outsider(Place place, int port) throws Exception {
            Path message = place.directory().resolve("message");
            Files.write(message, new byte[] {0, 0, 0, 0, 5, 'p', 'l', 'a', 'i', 'n'});
            Child curl =
                    curl(
                            place,
                            "http://127.0.0.1:" + port + "/bytes/Digest",
                            "--http2-prior-knowledge",
                            "-H",
                            "Content-Type: application/grpc",
                            "-H",
                            "TE: trailers",
                            "--data-binary",
                            "@" + message);
            // a digest of 64 digits, and five bytes before it
            assertEquals("69", curl.resultsWithin(120).get("length"), curl::toString);
        }
    },

    KAFKA(KafkaBroker.class, KafkaRecords.class) {
        @Override
        List<String> serverArguments(Place place, Ports ports) throws IOException {
            return List.of(ports.toString(), place.folder().toString());
        }

        @Override
        List<String> clientArguments(Place place, Ports ports) {
            return List.of(ports.toString(), "100000");
        }

        // Asks which requests it knows: header and body of version 0, and the same number back.
        @Override
        void outsider(Place place, int port) throws Exception {
            try (Socket socket = plain(port)) {
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                out.writeInt(10);
                out.writeShort(18);
                out.writeShort(0);
                out.writeInt(4711);
                out.writeShort(-1);
                DataInputStream in = new DataInputStream(socket.getInputStream());
                byte[] answer = in.readNBytes(in.readInt());
                assertTrue(answer.length > 100);
                assertEquals(4711, ((answer[2] & 0xff) << 8) | (answer[3] & 0xff));
            }
        }
    },

    ZOOKEEPER(ZooServer.class, ZooVisitor.class) {
        @Override
        List<String> serverArguments(Place place, Ports ports) throws IOException {
            return List.of(ports.toString(), place.folder().toString());
        }

        @Override
        List<String> clientArguments(Place place, Ports ports) {
            return List.of(ports.toString());
        }

        @Override
        void outsider(Place place, int port) throws Exception {
            try (Socket socket = plain(port)) {
                socket.getOutputStream().write("srvr".getBytes(US_ASCII));
                String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
                assertTrue(answer.startsWith("Zookeeper version"), answer);
            }
        }
    };

    /**
     * Libraries that the switches of Java do not see, and flags against complaints of JDK and
     * SLF4J.
     */
    private static final List<String> JVM_ARGS =
            List.of(
                    "-Dio.netty.transport.noNative=true",
                    "-Dio.grpc.netty.shaded.io.netty.transport.noNative=true",
                    "--sun-misc-unsafe-memory-access=allow",
                    "--enable-native-access=ALL-UNNAMED",
                    "-Dslf4j.internal.verbosity=ERROR");

    private static final int TIMEOUT_MILLIS = 100_000;

    private final Class<?> server;
    private final Class<?> client;

    ChannelApplication(Class<?> server, Class<?> client) {
        this.server = server;
        this.client = client;
    }

    /**
     * Where a test is.
     *
     * @param directory its own, gone afterwards
     * @param keys a key store
     */
    record Place(Jvms jvms, Path directory, Path keys) {
        /** A new one for what a server keeps. */
        Path folder() throws IOException {
            return Files.createTempDirectory(directory, "data");
        }
    }

    /** Starts a server; null rules: without the agent. */
    Child server(Place place, Path rules, Ports ports) throws Exception {
        return program(place, rules, server, serverArguments(place, ports));
    }

    /** Starts a client that visits both ports; null rules: without the agent. */
    Child client(Place place, Path rules, Ports ports) throws Exception {
        return program(place, rules, client, clientArguments(place, ports));
    }

    /** Makes one connection of plain TCP, and expects to be served. */
    abstract void outsider(Place place, int port) throws Exception;

    List<String> serverArguments(Place place, Ports ports) throws IOException {
        return withRole("server", place, ports);
    }

    List<String> clientArguments(Place place, Ports ports) {
        return withRole("client", place, ports);
    }

    /** Arguments of both ends, behind the ports. */
    List<String> arguments(Place place) {
        return List.of();
    }

    private List<String> withRole(String role, Place place, Ports ports) {
        List<String> all = new ArrayList<>();
        if (server == client) {
            all.add(role);
        }
        all.add(ports.toString());
        all.addAll(arguments(place));
        return all;
    }

    private static Child program(Place place, Path rules, Class<?> main, List<String> args)
            throws IOException {
        return place.jvms()
                .java(
                        main.getSimpleName(),
                        rules,
                        JVM_ARGS,
                        Comparison.programs(),
                        main.getName(),
                        args.toArray(String[]::new));
    }

    private static void get(Place place, String base) throws Exception {
        Child curl = curl(place, base + "/bytes/123456");
        assertEquals("123456", curl.resultsWithin(120).get("length"), curl::toString);
    }

    private static Child curl(Place place, String address, String... options) throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "curl",
                                "-sSk",
                                "--max-time",
                                "100",
                                "-w",
                                "\nlength=%{size_download}\n",
                                "-o",
                                "/dev/null"));
        command.addAll(List.of(options));
        command.add(address);
        return place.jvms().start("curl", command, null);
    }

    /** This JVM has no agent. */
    private static Socket plain(int port) throws IOException {
        Socket socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        return socket;
    }
}
