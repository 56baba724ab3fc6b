package io.sdp4j.offload.net;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.offload.Began;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.contract.OneStream;
import io.sdp4j.offload.contract.Streams;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.jdk.KernelSocket;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a read that waits in the kernel while its socket moves or closes ends as a read of the JDK
 * does. Method: the stream is the test's own, and ends each wait with what it was asked to wait.
 */
@Timeout(60)
class MovedReaderTest {
    private static final int LONG_MILLIS = 600_000;
    private static final int MANY_BYTES = 200_000; // more than the peer's kernel takes unread

    private final AtomicLong waitedNanos = new AtomicLong(-1);
    private volatile boolean limitRead;
    private volatile long limit;
    private volatile boolean died; // the peer's process, with input of the stream unread
    private volatile Runnable armed;
    private ServerSocket listener;
    private Socket accepted;
    private Socket socket;

    /** Answers of the stream. */
    private Object answer(String method, Object[] args) throws IOException {
        return switch (method) {
            case "tryBegin", "drained" -> true;
            case "arm" -> {
                armed = (Runnable) args[1];
                yield true;
            }
            case "peerVanished" -> died;
            case "tryRead" -> {
                if (died) {
                    throw new SocketException("Connection reset");
                }
                if (told()) {
                    limitRead = true;
                    ByteBuffer.wrap((byte[]) args[0]).putLong(limit);
                    yield Long.BYTES;
                }
                yield waitedNanos.get() >= 0 ? -1 : 0;
            }
            case "await" -> {
                waitedNanos.set((long) args[1]);
                yield null;
            }
            case "tryWriteUrgent" -> waitedNanos.get() >= 0; // there is room after a wait
            case "available" -> told() ? Long.BYTES : 0;
            case "ready" -> told() || died ? OffloadStream.READ : 0;
            default -> null;
        };
    }

    /** Whether the peer has told how many bytes it has sent by TCP. */
    private boolean told() {
        return armed != null && !limitRead && !died;
    }

    private OffloadSwitch owner() {
        return new OffloadSwitch(
                Policy::allowAll,
                List.of(new MovingProvider(new OneStream(Streams.of(this::answer)))),
                SwitchSettings.defaults().withUpgrade(UpgradePolicy.afterBytes(1)));
    }

    @BeforeEach
    void connect() throws IOException {
        connect(0);
    }

    private void connect(int millis) throws IOException {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        listener.setReceiveBufferSize(4096);
        socket = SwitchedSockets.socket(owner());
        socket.connect(listener.getLocalSocketAddress(), millis);
        accepted = listener.accept();
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
        accepted.close();
        listener.close();
    }

    /** A thread that waits in the kernel for a byte. */
    private Task<Integer> reader() {
        Task<Integer> reader = Task.start(() -> socket.getInputStream().read());
        await().atMost(Duration.ofSeconds(20)).until(() -> waitsInKernel(reader));
        return reader;
    }

    private static boolean waitsInKernel(Task<?> reader) {
        return reader.isIn("sun.nio.ch.NioSocketImpl");
    }

    /** The kernel's close waits for a peer that takes nothing, under the kernel socket's lock. */
    @Test
    void aCloseThatLingersDoesNotHoldUpAThreadOfTheProvider() throws Exception {
        socket.setSendBufferSize(MANY_BYTES);
        socket.setSoLinger(true, LONG_MILLIS / 1000);
        socket.getOutputStream().write(new byte[MANY_BYTES]);
        await().atMost(Duration.ofSeconds(20)).until(() -> armed != null);
        armed.run();
        var carried =
                (MovingConnection) ((SwitchClientImpl) SwitchedSockets.implOf(socket)).carried;
        Task<Void> closing =
                Task.start(
                        () -> {
                            socket.close();
                            return null;
                        });
        try {
            await().atMost(Duration.ofSeconds(20)).until(() -> waitsInKernel(closing));
            closing.awaitBlocked();
            // as if the thread that has taken the limit had been slow until now
            Task<Void> late =
                    Task.start(
                            () -> {
                                carried.onLimitKnown();
                                return null;
                            });
            Void _ = late.get();
        } finally {
            accepted.close(); // ends the wait
        }
        Void _ = closing.get();
    }

    /** The output moves, then the input, of which nothing has come by TCP. */
    private void move() throws Exception {
        moveOutput();
        armed.run();
    }

    private void moveOutput() throws Exception {
        socket.getOutputStream().write(1);
        await().atMost(Duration.ofSeconds(20)).until(() -> armed != null);
        assertEquals(1, accepted.getInputStream().read());
    }

    /** Also to the next read, but not to a write. */
    private void assertReset(Executable read, OutputStream out) {
        for (Executable e : List.of(read, () -> socket.getInputStream().read())) {
            assertEquals("Connection reset", assertThrows(SocketException.class, e).getMessage());
        }
        SocketException broken = assertThrows(SocketException.class, () -> out.write(1));
        assertEquals("Broken pipe", broken.getMessage());
    }

    /** TCP tells a reset once, to the read that then goes on by the stream. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aResetThatTheReadHasMetIsToldAtTheEndOfTheStream(boolean reset) throws Exception {
        Task<Integer> reader = reader();
        moveOutput();
        if (reset) {
            accepted.setSoLinger(true, 0);
        }
        accepted.close();
        await().atMost(Duration.ofSeconds(20)).until(() -> !waitsInKernel(reader));
        armed.run();
        if (reset) {
            assertReset(reader::get, socket.getOutputStream());
        } else {
            assertEquals(-1, reader.get());
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    /** The rest of them is lost. */
    @Test
    void aResetAmongTheBytesOfTcpIsToldOnce() throws Exception {
        limit = 5;
        move();
        accepted.getOutputStream().write(1);
        assertEquals(1, socket.getInputStream().read());
        accepted.setSoLinger(true, 0);
        accepted.close();
        assertReset(() -> socket.getInputStream().read(), socket.getOutputStream());
    }

    /** Its input had not moved: TCP ends in order. */
    @Test
    void aPeerThatDiedWithInputOfTheStreamUnreadHasReset() throws Exception {
        Task<Integer> reader = reader();
        moveOutput();
        died = true;
        armed.run();
        accepted.close();
        assertReset(reader::get, socket.getOutputStream());
    }

    @Test
    void aTimeOutOfLaterIsNotTheReadsOwn() throws Exception {
        Task<Integer> reader = reader();
        socket.setSoTimeout(LONG_MILLIS);
        move();
        assertEquals(-1, reader.get());
        assertEquals(Long.MAX_VALUE, waitedNanos.get());
    }

    @Test
    void aReadKeepsItsTimeOut() throws Exception {
        socket.setSoTimeout(LONG_MILLIS);
        Task<Integer> reader = reader();
        socket.setSoTimeout(0);
        move();
        assertEquals(-1, reader.get());
        long most = LONG_MILLIS * 1_000_000L;
        long waited = waitedNanos.get();
        assertEquals(waited, Math.clamp(waited, 1, most));
    }

    /** The end came before the switch had started, and is told after the close as well. */
    @Test
    void anEndThatWasToldStays() throws Exception {
        try (Socket early = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket peer = listener.accept()) {
            peer.shutdownOutput();
            assertEquals(-1, early.getInputStream().read());
            SwitchClientImpl switched = switched(early, true);
            InputStream in = switched.getInputStream();
            switched.close();
            assertEquals(-1, in.read());
        }
    }

    /** The reset came to a read that began before the switch had started. */
    @Test
    void aResetThatAnEarlyReadHasMetIsToldAtTheEndOfTheStream() throws Exception {
        try (Socket early = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket _ = listener.accept()) {
            SwitchClientImpl switched = switched(early, false);
            switched.getOutputStream().write(1);
            await().atMost(Duration.ofSeconds(20)).until(() -> armed != null);
            armed.run();
            switched.accept(new SocketException("Connection reset"));
            InputStream in = switched.getInputStream();
            SocketException told = assertThrows(SocketException.class, in::read);
            assertEquals("Connection reset", told.getMessage());
            switched.close();
        }
    }

    /** As without a move: the descriptor of such a socket does not block. */
    @Test
    @DisplayName("84: after a timed connect urgent data does not wait, nor after a move")
    void aTimedConnectIsRemembered() throws Exception {
        close();
        connect(10_000);
        move();
        SocketException full =
                assertThrows(SocketException.class, () -> socket.sendUrgentData('!'));
        assertEquals("No buffer space available", full.getMessage());
    }

    /** A time limit that no call has had does not count. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTimedCallBeforeTheSwitchIsRemembered(boolean called) throws Exception {
        try (Socket early = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket _ = listener.accept()) {
            early.setSoTimeout(LONG_MILLIS);
            SwitchClientImpl switched = switched(early, Map.of("nonBlocking", called));
            switched.getOutputStream().write(1);
            await().atMost(Duration.ofSeconds(20)).until(() -> armed != null);
            armed.run();
            if (called) {
                Expect.thrown(
                        SocketException.class,
                        "No buffer space available",
                        () -> switched.sendUrgentData('!'));
            } else {
                switched.sendUrgentData('!');
                assertEquals(Long.MAX_VALUE, waitedNanos.get());
            }
            switched.close();
        }
    }

    /** The write had begun before the switch started. */
    @Test
    void anOutputOfWhichAPartMayHaveGoneStays() throws Exception {
        try (Socket early = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket peer = listener.accept()) {
            SwitchClientImpl switched = switched(early, false);
            switched.accept((IOException) null);
            peer.setSoTimeout(20_000);
            for (int i = 0; i < 2; i++) {
                switched.getOutputStream().write(1);
                assertEquals(1, peer.getInputStream().read());
                await().atMost(Duration.ofSeconds(20)).until(() -> armed != null);
            }
            switched.close();
        }
    }

    private SwitchClientImpl switched(Socket early, boolean ended) throws IOException {
        return switched(early, Map.of("ended", ended));
    }

    /** The switch's implementation of a socket that was there before it. */
    private SwitchClientImpl switched(Socket early, Map<String, Object> more) throws IOException {
        Map<String, Object> state = SwitchedSockets.earlyState(early);
        state.putAll(more);
        return (SwitchClientImpl) SwitchSocketImpl.early(owner(), state);
    }

    /** The socket is closed before the move ends the reader's wait. */
    @Test
    void aCloseDuringTheMoveIsNoEndOfStream() throws Exception {
        OffloadSwitch owner = owner();
        KernelSocket kernel = KernelSocket.client(false);
        kernel.create();
        kernel.connect((InetSocketAddress) listener.getLocalSocketAddress(), 0);
        try (Socket _ = listener.accept()) {
            MovingConnection moving =
                    new MovingConnection(
                            owner,
                            kernel,
                            null,
                            null,
                            null,
                            0,
                            false,
                            Began.now(new ReentrantLock(), new ReentrantLock()));
            Task<Integer> reader = Task.start(() -> moving.read(new byte[1], 0, 1));
            await().atMost(Duration.ofSeconds(20)).until(() -> waitsInKernel(reader));
            moving.close(-1);
            kernel.shutdownInput();
            assertThrows(SocketException.class, reader::get);
        } finally {
            kernel.close();
        }
    }
}
