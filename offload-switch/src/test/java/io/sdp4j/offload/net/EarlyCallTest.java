package io.sdp4j.offload.net;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.contract.OneStream;
import io.sdp4j.offload.contract.Streams;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.policy.Policy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a stream that comes, or a close, while a call lasts that began before the switch had
 * started does not wait for another call of the application. Method: this thread holds the write
 * lock as such a write does, and counts what it reads as such a read does.
 */
@Timeout(60)
class EarlyCallTest {
    private final Set<String> called = ConcurrentHashMap.newKeySet();
    private final ReentrantLock writeLock = new ReentrantLock();
    private final AtomicLong received = new AtomicLong();
    private volatile Runnable armed;
    private volatile long limit = -1; // that the peer has told; -1 = none
    private volatile boolean behind;
    private ServerSocket listener;
    private Socket socket;
    private Socket accepted;
    private SwitchClientImpl switched;

    /** Answers of the stream, which notes what is called. */
    private Object answer(String method, Object[] args) {
        called.add(method);
        return switch (method) {
            case "tryBegin" -> true;
            case "arm" -> {
                armed = (Runnable) args[1];
                yield true;
            }
            case "readerBehind" -> {
                behind = (boolean) args[0];
                yield null;
            }
            case "available" -> limit < 0 ? 0 : Long.BYTES;
            case "tryRead" -> {
                ByteBuffer.wrap((byte[]) args[0]).putLong(limit);
                yield Long.BYTES;
            }
            default -> null;
        };
    }

    @BeforeEach
    void moveWhileACallLasts() throws Exception {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        socket = new Socket(listener.getInetAddress(), listener.getLocalPort());
        accepted = listener.accept();
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new MovingProvider(new OneStream(Streams.of(this::answer)))),
                        SwitchSettings.defaults().withUpgrade(UpgradePolicy.afterBytes(1)));
        Map<String, Object> state = SwitchedSockets.earlyState(socket);
        state.put("writeLock", writeLock);
        state.put("received", received);
        switched = (SwitchClientImpl) SwitchSocketImpl.early(owner, state);
        writeLock.lock();
        accepted.getOutputStream().write(7);
        assertEquals(7, switched.getInputStream().read());
        await().until(() -> armed != null);
        assertFalse(called.contains("tryBegin"));
    }

    @AfterEach
    void close() throws Exception {
        switched.close();
        socket.close();
        accepted.close();
        listener.close();
    }

    private void endOfTheCall() {
        writeLock.unlock();
        switched.run();
    }

    @Test
    void theOutputMovesAfterIt() {
        endOfTheCall();
        assertTrue(called.contains("tryBegin"));
    }

    /** A close that leaves bytes of the stream unread is to tell the peer. */
    @Test
    void aReadOfTheLastByteOfTcpHasReachedTheStream() {
        limit = 2;
        armed.run();
        assertTrue(behind);
        received.set(2);
        endOfTheCall();
        assertFalse(behind);
    }

    @Test
    void theStreamIsGivenBackAfterIt() throws Exception {
        FutureTask<Void> closing =
                new FutureTask<>(
                        () -> {
                            switched.close();
                            return null;
                        });
        Thread.ofPlatform().start(closing);
        Object _ = closing.get();
        assertFalse(called.contains("close"));
        endOfTheCall();
        assertTrue(called.contains("close"));
    }
}
