package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the time-out of a connect covers what a provider needs for its own start, and what the
 * provider does after that is nothing to the socket. Method: a provider that is at it until the
 * test lets it go on, and hears nothing meanwhile.
 */
@Timeout(60)
class FirstConnectTest {
    private final Slow slow = new Slow();
    private final OffloadSwitch owner =
            new OffloadSwitch(Policy::allowAll, List.of(slow), Patience.SETTINGS);

    private static final class Slow implements OffloadProvider {
        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        final CompletableFuture<Object> late = new CompletableFuture<>();
        final AtomicInteger onCaller = new AtomicInteger();
        volatile Thread caller;

        @Override
        public String name() {
            return "slow";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            if (Thread.currentThread() == caller) {
                onCaller.incrementAndGet();
                throw new OffloadUnavailable(ReasonCode.NO_PEER, "no listener");
            }
            asked.countDown();
            try {
                assertTrue(goOn.await(20, TimeUnit.SECONDS));
                late.complete(spec.localAddress().find(null));
            } catch (IOException | InterruptedException e) {
                late.complete(e);
            }
            throw new OffloadUnavailable(ReasonCode.NO_PEER, "no listener");
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            throw new OffloadUnavailable(ReasonCode.UNAVAILABLE, "no listener");
        }
    }

    private Socket socket(boolean channel) throws IOException {
        return channel
                ? SwitchChannels.provider(owner).openSocketChannel().socket()
                : SwitchedSockets.socket(owner);
    }

    @ParameterizedTest
    @CsvSource({"PLATFORM,false", "PLATFORM,true", "VIRTUAL,false", "VIRTUAL,true"})
    @DisplayName("3, 86: the first connect of a JVM is over in its time, with what is left of it")
    void theFirstConnectIsInTime(Task.Kind kind, boolean channel) throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                Socket s = socket(channel)) {
            Task.start(
                            kind,
                            () -> {
                                s.connect(plain.getLocalSocketAddress(), 1000);
                                return null;
                            })
                    .get();
            assertEquals(1, slow.goOn.getCount(), "the provider is still at it");
            assertEquals(0, slow.asked.getCount());
            slow.goOn.countDown();
            assertInstanceOf(IOException.class, slow.late.get(20, TimeUnit.SECONDS));
            try (Socket accepted = plain.accept()) {
                assertEquals(s.getLocalPort(), accepted.getPort());
                s.getOutputStream().write(7);
                assertEquals(7, accepted.getInputStream().read());
            }
        } finally {
            slow.goOn.countDown();
        }
    }

    @ParameterizedTest
    @EnumSource(Task.Kind.class)
    @DisplayName("10, 86: a close ends it")
    void closeEndsIt(Task.Kind kind) throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Socket s = socket(false);
            Task<Void> connecting =
                    Task.start(
                            kind,
                            () -> {
                                s.connect(plain.getLocalSocketAddress(), 40_000);
                                return null;
                            });
            assertTrue(slow.asked.await(20, TimeUnit.SECONDS));
            s.close();
            Expect.is(SocketException.class, "Socket closed", connecting.thrown());
        } finally {
            slow.goOn.countDown();
        }
    }

    @Test
    @DisplayName("21: the interrupt of a virtual thread ends it, too")
    void anInterruptEndsThatOfAVirtualThread() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Socket s = socket(false);
            Task<Void> connecting =
                    Task.start(
                            Task.Kind.VIRTUAL,
                            () -> {
                                s.connect(plain.getLocalSocketAddress(), 40_000);
                                return null;
                            });
            assertTrue(slow.asked.await(20, TimeUnit.SECONDS));
            connecting.thread().interrupt();
            Expect.is(SocketException.class, "Closed by interrupt", connecting.thrown());
            assertTrue(s.isClosed());
            assertEquals(1, slow.goOn.getCount(), "the provider is still at it");
        } finally {
            slow.goOn.countDown();
        }
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    @DisplayName("86: without a time-out there is nothing to be late for")
    void withoutTimeoutItIsTheCallersWork(boolean channel) throws Exception {
        slow.caller = Thread.currentThread();
        try (ServerSocket plain = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                Socket s = socket(channel)) {
            s.connect(plain.getLocalSocketAddress());
            assertEquals(1, slow.onCaller.get());
        }
    }
}
