package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Proxied;
import io.sdp4j.e2e.programs.RemoteErr;
import io.sdp4j.e2e.programs.WithoutSwitch;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: what a rule allows nothing but offload is reached by TCP in no way, from the first socket
 * of a JVM on, and what it allows is reached as ever. Method: a SOCKS proxy that says yes, in this
 * process, and programs in JVMs of their own.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConnectRulesIT {
    @TempDir Path directory;
    private ServerSocket proxy;
    private final AtomicInteger asked = new AtomicInteger();

    @BeforeEach
    void serve() throws IOException {
        proxy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                while (true) {
                                    Socket accepted = proxy.accept();
                                    asked.incrementAndGet();
                                    Thread.ofVirtual().start(() -> sayYes(accepted));
                                }
                            } catch (IOException e) {
                                // the test is over
                            }
                        });
    }

    @AfterEach
    void stopServing() throws IOException {
        proxy.close();
    }

    /** SOCKS 5, any destination. */
    private static void sayYes(Socket client) {
        try (client) {
            InputStream in = client.getInputStream();
            in.readNBytes(4);
            client.getOutputStream().write(new byte[] {5, 0});
            in.readNBytes(10);
            client.getOutputStream().write(new byte[] {5, 0, 0, 1, 127, 0, 0, 1, 0, 1});
            in.readAllBytes();
        } catch (IOException e) {
            // the program has ended
        }
    }

    @ParameterizedTest
    @CsvSource({
        "named,      auto,    proxy, false",
        "named,      connect, proxy, false",
        "unresolved, auto,    proxy, false",
        "selected,   auto,    proxy, false",
        "named,      auto,    destination, false",
        "selected,   auto,    destination, false",
        "bound,      auto,    destination, false",
        "bound,      connect, destination, false",
        "named,      auto,    other, true",
        "selected,   auto,    other, true",
        "bound,      auto,    other, true",
        "declined,   auto,    other, true",
        "declined,   connect, other, true",
    })
    @DisplayName("31: an sdp rule holds for a proxy, and for what would be reached through one")
    void holds(String how, String upgrade, String sdpOnly, boolean connects) throws Exception {
        try (Jvms jvms = new Jvms(directory);
                ServerSocket destination =
                        new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ServerSocket other = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            int port =
                    switch (sdpOnly) {
                        case "proxy" -> proxy.getLocalPort();
                        case "destination" -> destination.getLocalPort();
                        default -> other.getLocalPort();
                    };
            Path rules = jvms.rules("sdp.conf", "use sdp client * *:" + port + "\n");
            jvms.upgrade(upgrade);
            Child child =
                    jvms.java(
                            "Proxied " + how,
                            rules,
                            List.of(),
                            Jvms.classPathOf(Proxied.class),
                            Proxied.class.getName(),
                            how,
                            "" + proxy.getLocalPort(),
                            "" + destination.getLocalPort(),
                            "20000");
            Map<String, String> results = child.results();
            assertEquals("" + connects, results.get("connected"), child::toString);
            boolean through = connects && !how.equals("bound") && !how.equals("declined");
            assertEquals(through ? 1 : 0, asked.get(), child::toString);
            if (!connects) {
                assertTrue(results.get("problem").contains("refused ("), child::toString);
            }
        }
    }

    /** The host of the second rule is unknown, which the agent says at the first socket. */
    @ParameterizedTest
    @CsvSource({"auto, ''", "auto, apart", "connect, ''", "connect, apart"})
    @DisplayName("31: an sdp rule holds for the socket that standard error writes to")
    void holdsWhileTheAgentSaysSomething(String upgrade, String apart) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            int port = proxy.getLocalPort();
            String text =
                    "use sdp client * *:%d%nuse tcp client * no-such-host.invalid:1%n"
                            .formatted(port);
            Path rules = jvms.rules("sdp.conf", text);
            jvms.upgrade(upgrade);
            Child child =
                    jvms.java(
                            "RemoteErr",
                            rules,
                            List.of(),
                            Jvms.classPathOf(RemoteErr.class),
                            RemoteErr.class.getName(),
                            (port + " " + apart).strip().split(" ", -1));
            Map<String, String> results = child.results();
            assertEquals("refused", results.get("stream"), child::toString);
            assertEquals("refused", results.get("first"), child::toString);
            assertEquals(0, asked.get(), child::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "use sdp client * *:PORT, auto, yes",
        "use sdp client * *:PORT, connect, yes",
        "'', auto, refused",
    })
    @DisplayName("31: an sdp rule, and policy.required, hold where the switch cannot start")
    void holdsWithoutTheSwitch(String rule, String upgrade, String other) throws Exception {
        try (Jvms jvms = new Jvms(directory);
                ServerSocket only = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ServerSocket any = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Path jar = EarlyListenIT.jarWithoutTheSwitch(directory);
            String options = "policy.required=true,upgrade=" + upgrade;
            if (!rule.isEmpty()) {
                String text = rule.replace("PORT", "" + only.getLocalPort()) + "\n";
                options = "upgrade=" + upgrade + ",policy=" + jvms.rules("sdp.conf", text);
            }
            Child child =
                    jvms.java(
                            "WithoutSwitch",
                            null,
                            List.of("-javaagent:" + jar + "=" + options),
                            Jvms.classPathOf(WithoutSwitch.class),
                            WithoutSwitch.class.getName(),
                            jar.toString(),
                            "" + only.getLocalPort(),
                            "" + any.getLocalPort());
            Map<String, String> results = child.results();
            for (String kind : List.of("socket", "channel", "adaptor", "asynchronous")) {
                assertEquals("refused", results.get(kind), child::toString);
            }
            assertEquals(other, results.get("other-socket"), child::toString);
            assertEquals(other, results.get("other-channel"), child::toString);
            assertEquals("yes", results.get("unix"), child::toString);
        }
    }

    /** Method: the jar lacks a class of the channels that could ask the rules. */
    @Test
    @DisplayName("58: a UNIX-domain channel opens where every other channel is refused")
    void theRulesDoNotSpeakOfUnixChannels() throws Exception {
        Path jar = EarlyListenIT.jarWithoutTheSwitch(directory);
        try (FileSystem inside = FileSystems.newFileSystem(jar)) {
            String classes = "sdp4j-modules/io.sdp4j.offload/sdp4j-jdk/sun/nio/ch/";
            Files.delete(inside.getPath(classes + "EarlyMaker.class"));
        }
        String port = "" + proxy.getLocalPort();
        try (Jvms jvms = new Jvms(directory)) {
            Path rules = jvms.rules("sdp.conf", "use sdp client * *:1\n");
            Child child =
                    jvms.java(
                            "WithoutSwitch",
                            null,
                            List.of("-javaagent:" + jar + "=policy=" + rules),
                            Jvms.classPathOf(WithoutSwitch.class),
                            WithoutSwitch.class.getName(),
                            jar.toString(),
                            port,
                            port);
            Map<String, String> results = child.results();
            assertEquals("refused", results.get("other-channel"), child::toString);
            assertEquals("yes", results.get("unix"), child::toString);
        }
    }
}
