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
import io.sdp4j.offload.jdk.JdkBridge;
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
 * Goal: a stream that comes, or a close, while a write lasts that began before the switch had
 * started does not wait for another call of the application. Method: this thread holds the write
 * lock as such a write does.
 */
@Timeout(60)
class EarlyCallTest {
    private final Set<String> called = ConcurrentHashMap.newKeySet();
    private final ReentrantLock writeLock = new ReentrantLock();
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
                            (self, method, _) -> call(self, method));
        }

        @Override
        public OffloadListener listen(ListenSpec spec) {
            throw new AssertionError("asked to listen");
        }
    }

    private Object call(Object self, Method method) {
        called.add(method.getName());
        return switch (method.getName()) {
            case "info" -> new ConnectionInfo(ReasonCode.OFFLOADED, "one", "one", 0, 0);
            case "hashCode" -> System.identityHashCode(self);
            case "tryBegin", "arm" -> true;
            default -> method.getReturnType() == boolean.class ? (Object) false : zero(method);
        };
    }

    private static Object zero(Method method) {
        return method.getReturnType() == int.class ? 0 : null;
    }

    @BeforeEach
    void moveWhileAWriteLasts() throws Exception {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        socket = new Socket(listener.getInetAddress(), listener.getLocalPort());
        accepted = listener.accept();
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new MovingProvider(new Noting())),
                        SwitchSettings.defaults().withUpgrade(UpgradePolicy.afterBytes(1)),
                        KernelSocketSource.JDK);
        Map<String, Object> state = new HashMap<>();
        state.put("platform", JdkBridge.implOf(socket));
        state.put("created", true);
        state.put("remote", socket.getRemoteSocketAddress());
        state.put("readLock", new ReentrantLock());
        state.put("writeLock", writeLock);
        state.put("sent", new AtomicLong());
        state.put("received", new AtomicLong());
        state.put("turns", 0L);
        state.put("bornNanos", System.nanoTime());
        switched = (SwitchClientImpl) SwitchSocketImpl.early(owner, state);
        writeLock.lock();
        accepted.getOutputStream().write(7);
        assertEquals(7, switched.getInputStream().read());
        await().until(() -> called.contains("arm"));
        assertFalse(called.contains("tryBegin"));
    }

    @AfterEach
    void close() throws Exception {
        switched.close();
        socket.close();
        accepted.close();
        listener.close();
    }

    private void endOfTheWrite() {
        writeLock.unlock();
        switched.run();
    }

    @Test
    void theOutputMovesAfterIt() {
        endOfTheWrite();
        assertTrue(called.contains("tryBegin"));
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
        endOfTheWrite();
        assertTrue(called.contains("close"));
    }
}
