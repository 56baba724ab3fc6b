package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
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
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a platform thread connects for a virtual one, which would hold its carrier, and the virtual
 * one's interrupt ends the connect. Method: a fabric whose peer never answers, and a rule that
 * gives it an hour.
 */
@Timeout(60)
class InterruptedConnectTest {
    private static final InetSocketAddress SILENT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);

    private static final Decision HOUR =
            new Decision(
                    Verdict.OFFLOAD_ONLY,
                    List.of(),
                    TimeUnit.HOURS.toNanos(1),
                    "use sdp",
                    "test:1");

    private final Queue<Thread> asked = new ConcurrentLinkedQueue<>();

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
        asked.add(Thread.currentThread());
        while (!request.abandoned().getAsBoolean()) {
            if (request.deadlineNanos() - System.nanoTime() <= 0) {
                throw new FabricException(FabricException.Cause.TIMED_OUT, "silence");
            }
            LockSupport.parkNanos(ConnectRequest.ABANDON_CHECK_NANOS);
        }
        throw new FabricException(FabricException.Cause.ABANDONED, "given up");
    }

    private OffloadSwitch owner(TestFabric fabric) throws IOException {
        return new OffloadSwitch(
                () -> Policy.everything(HOUR),
                List.of(fabric.provider(this::silent)),
                SwitchSettings.defaults());
    }

    /** As many as meet a server that has stopped. */
    @Test
    void noneOfManyHoldsItsCarrier() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        List<Task<Void>> connecting = new ArrayList<>();
        try (TestFabric fabric = new TestFabric()) {
            OffloadSwitch owner = owner(fabric);
            for (int i = 0; i < 100; i++) {
                Socket s = SwitchedSockets.socket(owner);
                sockets.add(s);
                connecting.add(
                        Task.start(
                                Task.Kind.VIRTUAL,
                                () -> {
                                    s.connect(SILENT);
                                    return null;
                                }));
            }
            await().until(() -> asked.size() == sockets.size());
            assertEquals(0, asked.stream().filter(Thread::isVirtual).count());
            for (Socket s : sockets) {
                s.close();
            }
            for (Task<Void> each : connecting) {
                assertInstanceOf(SocketException.class, each.thrown());
            }
        }
    }

    @Test
    void itEndsAtOnceInTheWordsOfTheJdk() throws Exception {
        try (TestFabric fabric = new TestFabric()) {
            OffloadSwitch owner = owner(fabric);
            Socket s = SwitchedSockets.socket(owner);
            Task<Void> connecting =
                    Task.start(
                            Task.Kind.VIRTUAL,
                            () -> {
                                s.connect(SILENT);
                                return null;
                            });
            await().until(() -> asked.size() == 1);
            connecting.thread().interrupt();
            Throwable thrown = connecting.thrown();
            assertInstanceOf(SocketException.class, thrown);
            assertEquals("Closed by interrupt", thrown.getMessage());
            assertTrue(s.isClosed());
            assertEquals(0, owner.report().refused());
        }
    }
}
