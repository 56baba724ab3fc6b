package io.sdp4j.offload.jdk;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sun.nio.ch.SelChImpl;

class TakeResetTest {
    private static boolean atEnd(FileDescriptor fd) throws IOException {
        JdkBridge.awaitEnd(fd);
        return JdkBridge.takeReset(fd);
    }

    /** Gives up after a wait that began when the peer's socket was {@code closed}. */
    private static boolean awaitReset(FileDescriptor fd, AtomicBoolean closed) throws IOException {
        while (true) {
            boolean last = closed.get();
            long start = System.nanoTime();
            if (atEnd(fd)) {
                return true;
            }
            assertWaited(start);
            if (last) {
                return false;
            }
        }
    }

    private static void assertWaited(long start) {
        assertTrue(System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(50));
    }

    @Test
    void aClosedSocketHasNone() throws IOException {
        assertFalse(atEnd(new FileDescriptor()));
    }

    @Test
    void tellsAResetOnceAndAnOrderlyEndNever() throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(any);
                SocketChannel reset = SocketChannel.open(listener.getLocalAddress());
                SocketChannel ended = endOf(listener, reset)) {
            FileDescriptor number = ((SelChImpl) reset).getFD();
            Awaitility.await().until(() -> JdkBridge.takeReset(number));
            assertFalse(JdkBridge.takeReset(number));
            assertFalse(JdkBridge.takeReset(((SelChImpl) ended).getFD()));
        }
    }

    /** A process that ends closes the socket of the stream a moment before that of TCP. */
    @Test
    void waitsForTheSocketOfAProcessThatEnds() throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(any);
                SocketChannel open = SocketChannel.open(listener.getLocalAddress())) {
            long start = System.nanoTime();
            assertFalse(atEnd(((SelChImpl) open).getFD()));
            assertWaited(start);
        }
    }

    @ParameterizedTest
    @EnumSource(Task.Kind.class)
    void oneThatIsInterruptedSleepsWhileItWaits(Task.Kind kind) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        AtomicBoolean seen = new AtomicBoolean();
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(any);
                SocketChannel open = SocketChannel.open(listener.getLocalAddress())) {
            FileDescriptor number = ((SelChImpl) open).getFD();
            Task<Boolean> waiting =
                    Task.start(
                            kind,
                            () -> {
                                Thread.currentThread().interrupt();
                                while (!seen.get()) {
                                    JdkBridge.awaitEnd(number);
                                }
                                return Thread.interrupted();
                            });
            try {
                Awaitility.await()
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> waiting.isIn("poll"));
            } finally {
                seen.set(true);
            }
            assertTrue(waiting.get());
        }
    }

    /** The end of TCP's part of the input has been told by shutting it here. */
    @ParameterizedTest
    @EnumSource(Task.Kind.class)
    void waitsForTheResetOfASocketWhoseInputWasShut(Task.Kind kind) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(any);
                SocketChannel reset = SocketChannel.open(listener.getLocalAddress())) {
            reset.shutdownInput();
            FileDescriptor number = ((SelChImpl) reset).getFD();
            AtomicBoolean closed = new AtomicBoolean();
            Task<Boolean> told;
            try (SocketChannel resets = listener.accept()) {
                resets.setOption(StandardSocketOptions.SO_LINGER, 0);
                told = Task.start(kind, () -> awaitReset(number, closed));
                Awaitility.await()
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> told.done() || told.isIn("awaitEnd"));
            }
            closed.set(true);
            assertTrue(told.get());
        }
    }

    /** Resets one connection, makes another, and ends that in order. */
    private static SocketChannel endOf(ServerSocketChannel listener, SocketChannel reset)
            throws IOException {
        assertFalse(JdkBridge.takeReset(((SelChImpl) reset).getFD()));
        try (SocketChannel resets = listener.accept()) {
            resets.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        SocketChannel ended = SocketChannel.open(listener.getLocalAddress());
        try (SocketChannel ends = listener.accept()) {
            assertTrue(ends.isConnected());
        }
        return ended;
    }
}
