package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: whatever runs while a socket is closed, the stream is not used after it was given back, and
 * is given back once. Method: random operations on random threads; {@link LoopbackStream} throws
 * when it is used after its close.
 */
class CloseRaceTest {
    private static final Set<String> HONEST =
            Set.of(
                    "Socket closed",
                    "Socket is closed",
                    "Socket input is shutdown",
                    "Socket output is shutdown",
                    "Socket input is already shutdown",
                    "Socket output is already shutdown",
                    "Broken pipe",
                    "Connection reset",
                    "Connection reset by peer",
                    "Connection refused",
                    "No buffer space available");

    private final LoopbackProvider provider = new LoopbackProvider();
    private final OffloadSwitch owner =
            new OffloadSwitch(Policy::allowAll, List.of(provider), SwitchSettings.defaults());

    @Test
    void operationsAgainstClose() throws Exception {
        long seed = Long.getLong("sdp4j.test.seed", System.nanoTime());
        int rounds = "deep".equals(System.getProperty("sdp4j.test.profile")) ? 20_000 : 400;
        Random random = new Random(seed);
        try (ServerSocket listener = SwitchedSockets.serverSocket(owner)) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            for (int i = 0; i < rounds; i++) {
                Socket client = SwitchedSockets.socket(owner);
                client.connect(listener.getLocalSocketAddress());
                Socket server = listener.accept();
                List<Task<Void>> tasks = new ArrayList<>();
                for (int t = 0; t < 6; t++) {
                    Socket s = random.nextBoolean() ? client : server;
                    int what = random.nextInt(9);
                    int spins = random.nextInt(300);
                    Task.Kind kind = random.nextBoolean() ? Task.Kind.VIRTUAL : Task.Kind.PLATFORM;
                    tasks.add(Task.start(kind, () -> operate(s, what, spins)));
                }
                tasks.add(Task.start(() -> operate(client, 8, 100)));
                tasks.add(Task.start(Task.Kind.VIRTUAL, () -> operate(server, 8, 100)));
                for (Task<Void> task : tasks) {
                    task.get();
                }
            }
        } catch (Exception | AssertionError e) {
            throw new AssertionError("replay with -Dsdp4j.test.seed=" + seed, e);
        }
        Awaitility.await().until(() -> provider.openStreams() == 0);
        assertTrue(owner.report().bytesRead() <= owner.report().bytesWritten());
        assertEquals(
                2L * rounds, owner.report().reasons().values().stream().mapToLong(n -> n).sum());
    }

    /**
     * Goal: closing a listener while clients come and others accept wakes all and leaks nothing.
     */
    @Test
    void acceptAgainstClose() throws Exception {
        int rounds = "deep".equals(System.getProperty("sdp4j.test.profile")) ? 3_000 : 150;
        for (int i = 0; i < rounds; i++) {
            ServerSocket listener = SwitchedSockets.serverSocket(owner);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            List<Task<Void>> tasks = new ArrayList<>();
            for (Task.Kind kind : Task.Kind.values()) {
                tasks.add(Task.start(kind, () -> acceptUntilClosed(listener)));
                tasks.add(Task.start(kind, () -> connectSome(listener)));
            }
            Task<Void> closer =
                    Task.start(
                            () -> {
                                listener.close();
                                return null;
                            });
            closer.get();
            for (Task<Void> task : tasks) {
                task.get();
            }
        }
        Awaitility.await().until(() -> provider.openStreams() == 0);
    }

    /**
     * Goal: the address of a listener is free once an accept that waited is told of the close.
     * Method: the closer stays in the provider until the accepting thread stands still, or is over.
     */
    @ParameterizedTest
    @EnumSource(Task.Kind.class)
    void addressIsFreeWhenAnAcceptIsTold(Task.Kind kind) throws Exception {
        AtomicReference<Task<String>> accepting = new AtomicReference<>();
        OffloadSwitch slow =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new SlowToClose(provider, () -> accepting.get().awaitBlocked())),
                        SwitchSettings.defaults());
        ServerSocket listener = SwitchedSockets.serverSocket(slow);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SocketAddress at = listener.getLocalSocketAddress();
        accepting.set(Task.start(kind, () -> bindOnceClosed(listener, at)));
        accepting.get().awaitBlocked();
        listener.close();
        assertEquals("Socket closed", accepting.get().get());
    }

    private static String bindOnceClosed(ServerSocket listener, SocketAddress at)
            throws IOException {
        try {
            throw new AssertionError("accepted " + listener.accept());
        } catch (SocketException e) {
            try (ServerSocket again = new ServerSocket()) {
                again.bind(at);
            }
            return e.getMessage();
        }
    }

    /** Something to wait for. */
    private interface Wait {
        void end() throws InterruptedException;
    }

    private record SlowToClose(OffloadProvider inner, Wait before) implements OffloadProvider {
        @Override
        public String name() {
            return "slow";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            return inner.connect(spec);
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            OffloadListener listener = inner.listen(spec);
            return new OffloadListener() {
                @Override
                public OffloadStream poll() {
                    return listener.poll();
                }

                @Override
                public boolean pending() {
                    return listener.pending();
                }

                @Override
                public void close() {
                    try {
                        before.end();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    } finally {
                        listener.close();
                    }
                }
            };
        }
    }

    private static Void acceptUntilClosed(ServerSocket listener) throws IOException {
        try {
            while (true) {
                listener.accept().close();
            }
        } catch (SocketException e) {
            assertTrue(HONEST.contains(e.getMessage()), e.toString());
        }
        return null;
    }

    private Void connectSome(ServerSocket listener) throws IOException {
        for (int i = 0; i < 5; i++) {
            try (Socket s = i % 2 == 0 ? SwitchedSockets.socket(owner) : new Socket()) {
                s.connect(listener.getLocalSocketAddress());
            } catch (SocketException e) { // the kernel's word on a listener that goes away
                assertTrue(HONEST.contains(e.getMessage()), e.toString());
            }
        }
        return null;
    }

    private static Void operate(Socket s, int what, int spins) {
        for (int i = 0; i < spins; i++) {
            Thread.onSpinWait();
        }
        try {
            switch (what) {
                case 0 -> s.getInputStream().read(new byte[100]);
                case 1 -> s.getOutputStream().write(new byte[100_000]);
                case 2 -> s.getInputStream().available();
                case 3 -> s.shutdownInput();
                case 4 -> s.shutdownOutput();
                case 5 -> s.sendUrgentData(1);
                case 6 -> s.setOOBInline(true);
                case 7 -> {
                    s.setSoLinger(true, 0);
                    s.close();
                }
                default -> s.close();
            }
        } catch (IOException e) {
            boolean urgent = what == 5; // where the JDK gives no socket exception
            assertTrue(e instanceof SocketException || urgent, e.toString());
            assertTrue(HONEST.contains(e.getMessage()), e.toString());
        }
        return null;
    }
}
