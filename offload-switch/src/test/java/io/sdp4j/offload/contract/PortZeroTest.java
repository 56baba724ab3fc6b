package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a connect to port 0, where no listener can be, is refused as the kernel refuses it, and no
 * provider spends the caller's time on it. Method: every kind of connect, with a provider that must
 * not be asked.
 */
@Timeout(60)
class PortZeroTest {
    private static final InetSocketAddress PORT_ZERO =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static OffloadSwitch of(Verdict verdict) {
        return new OffloadSwitch(
                () -> Policy.everything(Decision.of(verdict, "the rule", "test:1")),
                List.of(new UnaskedProvider()),
                SwitchSettings.defaults());
    }

    private final OffloadSwitch owner = of(Verdict.OFFLOAD_FIRST);

    @Test
    void ofASocket() throws Exception {
        try (Socket s = SwitchedSockets.socket(owner)) {
            Expect.thrown(ConnectException.class, "Connection refused", () -> s.connect(PORT_ZERO));
            assertTrue(s.isClosed());
        }
    }

    /**
     * Hardly any time is given, but the kernel knows at once. The JDK may lose its millisecond all
     * by itself before it asks the kernel, and says so; not every time.
     */
    @Test
    void ofAHurriedSocket() {
        Awaitility.await().until(this::isRefusedInAHurry);
    }

    private boolean isRefusedInAHurry() throws IOException {
        try (Socket s = SwitchedSockets.socket(owner)) {
            IOException e = assertThrows(IOException.class, () -> s.connect(PORT_ZERO, 1));
            assertTrue(s.isClosed());
            if (e instanceof SocketTimeoutException) {
                return false;
            }
            Expect.is(ConnectException.class, "Connection refused", e);
            return true;
        }
    }

    @Test
    void ofAChannel() throws Exception {
        try (SocketChannel c = SwitchChannels.provider(owner).openSocketChannel()) {
            Expect.thrown(ConnectException.class, "Connection refused", () -> c.connect(PORT_ZERO));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void ofAChannelsSocket(int millis) throws Exception {
        try (SocketChannel c = SwitchChannels.provider(owner).openSocketChannel()) {
            Expect.thrown(
                    ConnectException.class,
                    "Connection refused",
                    () -> c.socket().connect(PORT_ZERO, millis));
        }
    }

    @Test
    void ofANonBlockingChannel() throws Exception {
        try (SocketChannel c = SwitchChannels.provider(owner).openSocketChannel()) {
            c.configureBlocking(false);
            Throwable failure =
                    assertThrows(
                            ConnectException.class,
                            () -> {
                                c.connect(PORT_ZERO);
                                Awaitility.await()
                                        .atMost(Duration.ofSeconds(30))
                                        .until(c::finishConnect);
                            });
            Expect.is(ConnectException.class, "Connection refused", failure);
        }
    }

    @Test
    void ofAnAsynchronousChannel() throws Exception {
        try (AsynchronousSocketChannel c =
                new SwitchAsynchronousChannelProvider(owner).openAsynchronousSocketChannel(null)) {
            ExecutionException e =
                    assertThrows(ExecutionException.class, () -> c.connect(PORT_ZERO).get());
            Expect.is(ConnectException.class, "Connection refused", e.getCause());
        }
    }

    /** Goal: a rule that allows nothing but offload says its own name in the refusal. */
    @Test
    void offloadOnlyIsRefusedWithoutBeingAsked() throws Exception {
        OffloadSwitch only = of(Verdict.OFFLOAD_ONLY);
        String refused = "Connection refused (port 0 has no listener; rule: the rule)";
        try (Socket s = SwitchedSockets.socket(only);
                SocketChannel c = SwitchChannels.provider(only).openSocketChannel();
                AsynchronousSocketChannel a =
                        new SwitchAsynchronousChannelProvider(only)
                                .openAsynchronousSocketChannel(null)) {
            Expect.thrown(ConnectException.class, refused, () -> s.connect(PORT_ZERO, 1));
            Expect.thrown(ConnectException.class, refused, () -> c.connect(PORT_ZERO));
            ExecutionException e =
                    assertThrows(ExecutionException.class, () -> a.connect(PORT_ZERO).get());
            assertInstanceOf(ConnectException.class, e.getCause());
            assertEquals(refused, e.getCause().getMessage());
        }
    }
}
