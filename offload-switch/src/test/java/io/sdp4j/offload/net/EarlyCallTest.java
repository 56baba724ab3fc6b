package io.sdp4j.offload.net;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.offload.jdk.KernelSocketSource;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.HashMap;
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

    /** Moves each connection onto a stream that notes what is called. */
    private final class Noting implements OffloadProvider {
        @Override
        public String name() {
            return "noting";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) {
            return (OffloadStream)
                    Proxy.newProxyInstance(
                            OffloadStream.class.getClassLoader(),
                            new Class<?>[] {OffloadStream.class},
                            (self, method, args) -> call(self, method, args));
        }

        @Override
        public OffloadListener listen(ListenSpec spec) {
            throw new AssertionError("asked to listen");
        }
    }

    private Object call(Object self, Method method, Object[] args) {
        called.add(method.getName());
        return switch (method.getName()) {
            case "info" -> new ConnectionInfo(ReasonCode.OFFLOADED, "one", "one", 0, 0);
            case "hashCode" -> System.identityHashCode(self);
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
            default -> method.getReturnType() == boolean.class ? (Object) false : zero(method);
        };
    }

    private static Object zero(Method method) {
        return method.getReturnType() == int.class ? 0 : null;
    }

    @BeforeEach
    void moveWhileACallLasts() throws Exception {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        socket = new Socket(listener.getInetAddress(), listener.getLocalPort());
        accepted = listener.accept();
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new MovingProvider(new Noting())),
                        SwitchSettings.defaults().withUpgrade(UpgradePolicy.afterBytes(1)),
                        KernelSocketSource.JDK,
                        null);
        Map<String, Object> state = new HashMap<>();
        state.put("platform", SwitchedSockets.implOf(socket));
        state.put("created", true);
        state.put("remote", socket.getRemoteSocketAddress());
        state.put("readLock", new ReentrantLock());
        state.put("writeLock", writeLock);
        state.put("sent", new AtomicLong());
        state.put("received", received);
        state.put("turns", 0L);
        state.put("bornNanos", System.nanoTime());
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
