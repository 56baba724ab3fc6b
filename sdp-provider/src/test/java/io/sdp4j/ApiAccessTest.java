package io.sdp4j;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.Sdp;
import io.sdp4j.api.SdpConfig;
import io.sdp4j.api.SdpProvider;
import io.sdp4j.api.SdpSocket;
import io.sdp4j.testing.JvmCommand;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a program whose JVM lacks options is told which, at its first call of the API and at every
 * later one, and works with them. Method: JVMs of their own.
 */
@Timeout(120)
class ApiAccessTest {
    private static final String NAMED = "start Java with ";
    private static final List<Callable<?>> CALLS =
            List.of(
                    Sdp::openSocket,
                    Sdp::openServerSocket,
                    Sdp::provider,
                    () -> SdpProvider.open(SdpConfig.defaults()),
                    () -> Sdp.openAsynchronousSocketChannel(null),
                    Sdp::openSocketChannel,
                    ApiAccessTest::fabric);

    @TempDir Path directory;

    /** The outcome of each call: a line of the program's output. */
    private List<String> outcomes(List<String> options) throws Exception {
        Process child =
                JvmCommand.of(ApiAccessTest.class)
                        .small()
                        .options(options.toArray(String[]::new))
                        .options("-Dsdp4j.shm.dir=" + directory, "-Dslf4j.internal.verbosity=ERROR")
                        .builder()
                        .redirectErrorStream(true)
                        .start();
        List<String> said = child.inputReader(UTF_8).lines().toList();
        assertEquals(0, child.waitFor(), said::toString);
        assertEquals(CALLS.size(), said.size(), said::toString);
        return said;
    }

    @Test
    void theNamedOptionsSuffice() throws Exception {
        List<String> refused = outcomes(List.of());
        String told = refused.getFirst();
        assertEquals(Collections.nCopies(CALLS.size(), told), refused);
        assertTrue(told.startsWith("IllegalStateException "), told);
        String options = told.substring(told.indexOf(NAMED) + NAMED.length());
        List<String> expected = new ArrayList<>(Collections.nCopies(CALLS.size() - 1, "opened"));
        expected.add("shm");
        assertEquals(expected, outcomes(List.of(options.split(" ", -1))));
    }

    /** Goal: sockets do not need what only selectable channels do. */
    @Test
    void channelsNameTheirsToo() throws Exception {
        List<String> said =
                outcomes(
                        List.of(
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-opens=java.base/java.net=ALL-UNNAMED",
                                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"));
        assertEquals("shm", said.getLast());
        assertEquals(Collections.nCopies(5, "opened"), said.subList(0, 5));
        String told = said.get(5);
        assertTrue(told.startsWith("IllegalStateException ") && told.contains(NAMED), told);
    }

    private static Object fabric() throws Exception {
        try (ServerSocket listener = Sdp.openServerSocket();
                SdpSocket client = Sdp.openSocket()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client.connect(listener.getLocalSocketAddress(), 20_000);
            return client.connectionInfo().orElseThrow().fabric();
        }
    }

    public static void main(String[] args) throws Exception {
        for (Callable<?> call : CALLS) {
            try {
                System.out.println(call.call() instanceof String name ? name : "opened");
            } catch (IllegalStateException e) {
                System.out.println(e.getClass().getSimpleName() + " " + e.getMessage());
            }
        }
    }
}
