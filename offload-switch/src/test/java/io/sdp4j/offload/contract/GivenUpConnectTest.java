package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.Task.Kind;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a caller that gives a connect up while a provider is at it is told so at once, in the JDK's
 * words, and nothing is counted, remembered or tried after it. Method: a provider whose peer never
 * answers and whose time is an hour.
 */
class GivenUpConnectTest {
    private static final InetSocketAddress SILENT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
    private static final long HOUR_NANOS = TimeUnit.HOURS.toNanos(1);

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch found = new CountDownLatch(1);
    private volatile boolean ended; // else an attempt that is not given up would wait for its hour
    private OffloadSwitch owner = over(new Silent());

    private static OffloadSwitch over(OffloadProvider provider) {
        return new OffloadSwitch(
                () ->
                        Policy.everything(
                                new Decision(
                                        Verdict.OFFLOAD_ONLY,
                                        List.of(),
                                        HOUR_NANOS,
                                        "use sdp",
                                        "test:1")),
                List.of(provider),
                SwitchSettings.defaults());
    }

    /** Waits as a fabric does whose peer does not answer. */
    private class Silent implements OffloadProvider {
        @Override
        public String name() {
            return "silent";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            asked.countDown();
            while (!spec.abandoned().getAsBoolean() && !ended) {
                if (spec.deadlineNanos() - System.nanoTime() <= 0) {
                    throw new OffloadUnavailable(ReasonCode.TIMED_OUT, "silence");
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            throw new OffloadUnavailable(ReasonCode.ABANDONED, "given up");
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            throw new OffloadUnavailable(ReasonCode.UNAVAILABLE, "no listener");
        }
    }

    /** Finds its peer only when the socket is closed, and has no local address for it then. */
    private final class Late extends Silent {
        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            asked.countDown();
            try {
                assertTrue(found.await(20, TimeUnit.SECONDS));
                return fail("the address is " + spec.localAddress().find(null));
            } catch (IOException | InterruptedException e) {
                throw new OffloadUnavailable(ReasonCode.MEMORY, "no local address: " + e);
            }
        }
    }

    @AfterEach
    void end() {
        ended = true;
    }

    private Task<Void> connecting(Kind kind, Socket s) throws InterruptedException {
        Task<Void> task =
                Task.start(
                        kind,
                        () -> {
                            s.connect(SILENT);
                            return null;
                        });
        assertTrue(asked.await(20, TimeUnit.SECONDS));
        return task;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void closeEndsIt(Kind kind) throws Exception {
        Socket s = SwitchedSockets.socket(owner);
        Task<Void> task = connecting(kind, s);
        s.close();
        Expect.is(SocketException.class, "Socket closed", task.thrown());
        assertNothingCounted();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theFailureThatACloseCausesIsNone(Kind kind) throws Exception {
        owner = over(new Late());
        Socket s = SwitchedSockets.socket(owner);
        Task<Void> task = connecting(kind, s);
        s.close();
        found.countDown();
        Expect.is(SocketException.class, "Socket closed", task.thrown());
        assertNothingCounted();
    }

    /** As the JDK: a virtual thread's interrupt closes the socket, a platform thread's does not. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void anInterruptEndsThatOfAVirtualThread(Kind kind) throws Exception {
        Socket s = SwitchedSockets.socket(owner);
        Task<Void> task = connecting(kind, s);
        task.thread().interrupt();
        if (kind == Kind.PLATFORM) {
            task.awaitBlocked();
            s.close();
            Expect.is(SocketException.class, "Socket closed", task.thrown());
        } else {
            Expect.is(SocketException.class, "Closed by interrupt", task.thrown());
            assertTrue(s.isClosed());
        }
        assertNothingCounted();
    }

    private void assertNothingCounted() {
        assertEquals(Map.of(), owner.report().reasons());
        assertEquals(0, owner.report().refused());
    }
}
