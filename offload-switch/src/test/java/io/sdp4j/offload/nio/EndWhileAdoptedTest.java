package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.jdk.KernelSocketSource;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a selector is told of an input or output that the application shuts, also when the channel
 * becomes an offloaded one between the look at the stack that carries it and the change of the
 * stream. Method: has it become one inside the stream's method, by a stream that never notifies of
 * what this end does.
 */
@Timeout(30)
class EndWhileAdoptedTest {
    /** Moves each connection onto {@link #stream}. */
    private final class OneStream implements OffloadProvider {
        @Override
        public String name() {
            return "one";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) {
            return stream;
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            return new FailingProvider().listen(spec);
        }
    }

    private final OffloadStream stream =
            (OffloadStream)
                    Proxy.newProxyInstance(
                            OffloadStream.class.getClassLoader(),
                            new Class<?>[] {OffloadStream.class},
                            (_, method, args) -> call(method, args));
    private volatile InetSocketAddress local;
    private volatile InetSocketAddress remote;
    private volatile int unread; // bytes of the peer's limit
    private volatile int ready; // but for those
    private volatile Runnable onReady;

    private ServerSocketChannel listener;
    private SocketChannel accepted;
    private SocketChannel channel;
    private Selector selector;

    private Object call(Method method, Object[] args) {
        return switch (method.getName()) {
            case "hashCode" -> 0;
            case "equals" -> args[0] == stream;
            case "localAddress" -> local;
            case "remoteAddress" -> remote;
            case "info" -> new ConnectionInfo(ReasonCode.OFFLOADED, "one", "one", 0, 0);
            case "tryBegin", "drained" -> true;
            case "available" -> unread;
            case "tryRead" -> {
                int n = unread;
                unread = 0;
                yield n; // zeros: nothing came by TCP
            }
            case "ready" -> ready();
            case "requestNotify" -> ready() & (int) args[0];
            case "arm" -> {
                onReady = (Runnable) args[1];
                yield ready() == 0;
            }
            case "shutdownInput" -> {
                becomeOffloaded();
                ready = OffloadStream.READ;
                yield null;
            }
            case "shutdownOutput" -> {
                becomeOffloaded();
                ready = OffloadStream.WRITE;
                yield null;
            }
            case "notifyFd" -> -1;
            default -> method.getReturnType() == boolean.class ? false : null;
        };
    }

    private int ready() {
        return unread > 0 ? OffloadStream.READ : ready;
    }

    private void becomeOffloaded() {
        SwitchedConnection c = SwitchedConnection.of(channel);
        if (c.readLock.isHeldByCurrentThread()) {
            assertNull(c.connectedStream());
            c.readLock.unlock();
            c.moving().left();
            assertNotNull(c.connectedStream());
        }
    }

    @BeforeEach
    void connect() throws IOException {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new MovingProvider(new OneStream())),
                        SwitchSettings.defaults().withUpgrade(UpgradePolicy.afterBytes(1)),
                        KernelSocketSource.JDK);
        listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel = SwitchChannels.provider(owner).openSocketChannel();
        channel.connect(listener.getLocalAddress());
        accepted = listener.accept();
        local = (InetSocketAddress) channel.getLocalAddress();
        remote = (InetSocketAddress) channel.getRemoteAddress();
        channel.configureBlocking(false);
        selector = Selector.open();
    }

    @AfterEach
    void close() throws IOException {
        selector.close();
        channel.close();
        accepted.close();
        listener.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {SelectionKey.OP_READ, SelectionKey.OP_WRITE})
    void aSelectorIsTold(int op) throws Exception {
        SwitchedConnection c = SwitchedConnection.of(channel);
        c.readLock.lock(); // it cannot become an offloaded one before this is given back
        channel.write(ByteBuffer.allocate(1));
        await().until(() -> onReady != null);
        unread = Long.BYTES;
        Thread.ofPlatform().start(onReady).join(); // this one has the lock
        assertTrue(c.moving().finished());

        SelectionKey key = channel.register(selector, op);
        selector.selectNow(); // it has asked, and does not ask again by itself
        selector.selectedKeys().clear();
        if (op == SelectionKey.OP_READ) {
            channel.shutdownInput();
        } else {
            channel.shutdownOutput();
        }
        assertEquals(1, selector.select(10_000));
        assertEquals(op, key.readyOps());
    }
}
