package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.policy.Policy;
import io.sdp4j.testing.FreePorts;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a close does not wait for a thread that looks at the rules, whose file system may hang.
 * Method: the rules come when the close is over.
 */
@Timeout(60)
class HangingRulesTest {
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final AtomicBoolean hangs = new AtomicBoolean(); // the next look at the rules
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch come = new CountDownLatch(1);
    private final OffloadSwitch owner =
            new OffloadSwitch(
                    this::rules, List.of(new LoopbackProvider()), SwitchSettings.defaults());
    private final SwitchAsynchronousChannelProvider channels =
            new SwitchAsynchronousChannelProvider(owner);

    private Policy rules() {
        if (hangs.getAndSet(false)) {
            asked.countDown();
            try {
                assertTrue(come.await(50, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        return Policy.allowAll();
    }

    @AfterEach
    void end() {
        come.countDown();
    }

    private void assertCloses(Closeable closed, Callable<?> call) throws Exception {
        hangs.set(true);
        Task<?> task = Task.start(call);
        assertTrue(asked.await(20, TimeUnit.SECONDS));
        Object _ =
                Task.start(
                                () -> {
                                    closed.close();
                                    return null;
                                })
                        .get();
        assertFalse(task.done());
        come.countDown();
        assertThrows(Exception.class, task::get);
    }

    private static InetSocketAddress freePort() throws IOException {
        return new InetSocketAddress(ANY.getAddress(), FreePorts.one());
    }

    @Test
    @DisplayName("27: a close during a connect")
    void socket() throws Exception {
        InetSocketAddress peer = freePort();
        Socket s = SwitchedSockets.socket(owner);
        assertCloses(
                s,
                () -> {
                    s.connect(peer);
                    return null;
                });
    }

    @Test
    void bindingListener() throws Exception {
        assertListenerCloses(ANY);
    }

    /** Binding to a port that is given needs no rule. */
    @Test
    void listener() throws Exception {
        assertListenerCloses(freePort());
    }

    private void assertListenerCloses(InetSocketAddress at) throws Exception {
        ServerSocket s = SwitchedSockets.serverSocket(owner);
        assertCloses(
                s,
                () -> {
                    s.bind(at);
                    return null;
                });
    }

    @Test
    void asynchronousChannel() throws Exception {
        InetSocketAddress peer = freePort();
        AsynchronousSocketChannel c = channels.openAsynchronousSocketChannel(null);
        assertCloses(c, () -> c.connect(peer).get());
    }

    @Test
    void asynchronousListener() throws Exception {
        AsynchronousServerSocketChannel c = channels.openAsynchronousServerSocketChannel(null);
        assertCloses(c, () -> c.bind(ANY));
    }
}
