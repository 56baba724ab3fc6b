package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: the interrupt of a virtual thread ends its connect, although a platform thread is at it for
 * it. Method: a fabric whose peer never answers, and a rule that gives it an hour.
 */
@Timeout(60)
class InterruptedConnectTest {
    private static final InetSocketAddress SILENT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);

    private final CountDownLatch asked = new CountDownLatch(1);

    private Fabric silent(Fabric fabric) {
        return Shims.around(
                Fabric.class,
                fabric,
                (_, method, args) -> {
                    if (method.getName().equals("connect")) {
                        awaitTheEnd((ConnectRequest) args[0]);
                    }
                    return null;
                });
    }

    private void awaitTheEnd(ConnectRequest request) throws FabricException {
        asked.countDown();
        while (!request.abandoned().getAsBoolean()) {
            if (request.deadlineNanos() - System.nanoTime() <= 0) {
                throw new FabricException(FabricException.Cause.TIMED_OUT, "silence");
            }
            LockSupport.parkNanos(ConnectRequest.ABANDON_CHECK_NANOS);
        }
        throw new FabricException(FabricException.Cause.ABANDONED, "given up");
    }

    @Test
    void itEndsAtOnceInTheWordsOfTheJdk() throws Exception {
        Decision hour =
                new Decision(
                        Verdict.OFFLOAD_ONLY,
                        List.of(),
                        TimeUnit.HOURS.toNanos(1),
                        "use sdp",
                        "test:1");
        try (TestFabric fabric = new TestFabric()) {
            OffloadSwitch owner =
                    new OffloadSwitch(
                            () -> Policy.everything(hour),
                            List.of(fabric.provider(this::silent)),
                            SwitchSettings.defaults());
            Socket s = SwitchedSockets.socket(owner);
            Task<Void> connecting =
                    Task.start(
                            Task.Kind.VIRTUAL,
                            () -> {
                                s.connect(SILENT);
                                return null;
                            });
            assertTrue(asked.await(20, TimeUnit.SECONDS));
            connecting.thread().interrupt();
            Throwable thrown = connecting.thrown();
            assertInstanceOf(SocketException.class, thrown);
            assertEquals("Closed by interrupt", thrown.getMessage());
            assertTrue(s.isClosed());
            assertEquals(0, owner.report().refused());
        }
    }
}
