package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Role;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The switch's cost: allocation, descriptors, time per call. */
class CostTest {
    private final LoopbackProvider provider = new LoopbackProvider();

    /** Sockets that are offloaded, or kept on the kernel by a rule. */
    private Sockets sockets(boolean offloaded) {
        Policy policy =
                offloaded
                        ? Policy.allowAll()
                        : Policy.everything(Decision.of(Verdict.KERNEL, "use tcp", "test:1"));
        return of(policy, provider);
    }

    private static Sockets of(Policy policy, OffloadProvider provider) {
        OffloadSwitch owner =
                new OffloadSwitch(() -> policy, List.of(provider), SwitchSettings.defaults());
        return new Sockets() {
            @Override
            public Socket newSocket() throws IOException {
                return SwitchedSockets.socket(owner);
            }

            @Override
            public ServerSocket newServerSocket() {
                return SwitchedSockets.serverSocket(owner);
            }

            @Override
            public boolean offloads() {
                return policy.canOffload(Role.CONNECT);
            }
        };
    }

    /**
     * Goal: reading and writing allocate nothing. Method: the allocation counter of this thread.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readAndWriteAllocateNothing(boolean offloaded) throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (var p = sockets(offloaded).pair()) {
            OutputStream out = p.client().getOutputStream();
            InputStream in = p.server().getInputStream();
            byte[] b = new byte[64];
            exchange(out, in, b, 20_000);
            long least = Long.MAX_VALUE;
            for (int round = 0; round < 5; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                exchange(out, in, b, 10_000);
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertTrue(least < 1000, least + " bytes in 10,000 reads and writes");
        }
    }

    private static void exchange(OutputStream out, InputStream in, byte[] b, int rounds)
            throws IOException {
        for (int i = 0; i < rounds; i++) {
            out.write(b, 0, b.length);
            for (int n = 0; n < b.length; ) {
                n += in.read(b, n, b.length - n);
            }
        }
    }

    /**
     * Goal: neither offloaded nor fallen-back connections leave a descriptor or a stream behind,
     * however they end.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("61: connections leave no descriptor behind, however they end")
    void nothingIsLeftBehind(boolean offloaded) throws Exception {
        UnixOperatingSystemMXBean system =
                (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Sockets sockets = sockets(offloaded);
        for (int i = 0; i < 50; i++) {
            connectAndEnd(sockets, i);
        }
        long before = system.getOpenFileDescriptorCount();
        int rounds = Long.getLong("sdp4j.test.rounds", 1000).intValue();
        for (int i = 0; i < rounds; i++) {
            connectAndEnd(sockets, i);
        }
        assertEquals(0, provider.openStreams());
        long leaked = system.getOpenFileDescriptorCount() - before;
        assertTrue(leaked < 20, leaked + " descriptors more than before");
    }

    private static void connectAndEnd(Sockets sockets, int way) throws Exception {
        try (var p = sockets.pair()) {
            switch (way % 5) {
                case 0 -> p.client().close();
                case 1 -> p.server().setSoLinger(true, 0);
                case 2 -> p.client().shutdownOutput();
                case 3 -> p.client().getOutputStream().write(1);
                default -> {
                    Task<Integer> reader =
                            Task.start(Task.Kind.VIRTUAL, p.client().getInputStream()::read);
                    p.server().close();
                    assertEquals(-1, reader.get());
                }
            }
        }
    }

    /** Goal: a failed offload attempt that had taken a port leaves it and its descriptor. */
    @Test
    @DisplayName("61: failed attempts leave no descriptor behind")
    void failedConnectsLeaveNothing() throws Exception {
        UnixOperatingSystemMXBean system =
                (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        FallbackTest fallback = new FallbackTest();
        fallback.pair().close();
        long before = system.getOpenFileDescriptorCount();
        for (int i = 0; i < 300; i++) {
            fallback.pair().close();
        }
        long leaked = system.getOpenFileDescriptorCount() - before;
        assertTrue(leaked < 20, leaked + " descriptors more than before");
    }

    /** Goal: many idle connections cost no CPU. */
    @Test
    @DisplayName("62: idle connections cost no processor time")
    void idleConnectionsCostNothing() throws Exception {
        Sockets sockets = sockets(true);
        List<Socket> ends = new ArrayList<>();
        List<Task<Integer>> readers = new ArrayList<>();
        try (ServerSocket listener = sockets.listen(300)) {
            for (int i = 0; i < 300; i++) {
                Socket c = sockets.newSocket();
                c.connect(listener.getLocalSocketAddress());
                ends.add(c);
                ends.add(listener.accept());
            }
            for (Socket s : ends) {
                readers.add(Task.start(Task.Kind.VIRTUAL, s.getInputStream()::read));
            }
            readers.getLast().awaitBlocked();
            Expect.noProcessorTime();
        } finally {
            for (Socket s : ends) {
                s.close();
            }
        }
    }
}
