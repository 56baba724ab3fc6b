package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.Here;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a group that is closed calls every handler, also while a thread is using a channel. */
@Timeout(120)
class AioShutdownNowTest {
    private final AtomicReference<AsynchronousChannelGroup> closed = new AtomicReference<>();

    private void before(String call) {
        AsynchronousChannelGroup group = call.equals("arm") ? closed.getAndSet(null) : null;
        if (group != null) {
            try {
                group.shutdownNow();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Goal: a rule without TCP holds. Method: a connect while another channel is being closed. */
    @Test
    void connectsByTheRulesWhileItCloses() throws Exception {
        AtomicReference<Runnable> whileClosing = new AtomicReference<>();
        OffloadSwitch owner =
                new OffloadSwitch(
                        () ->
                                Policy.everything(
                                        Decision.of(Verdict.OFFLOAD_ONLY, "use sdp", "test:1")),
                        List.of(
                                new Observed(
                                        new LoopbackProvider(),
                                        (_, call, _) -> {
                                            if (call.equals("close")) {
                                                whileClosing.get().run();
                                            }
                                        })),
                        Patience.SETTINGS);
        var channels = new SwitchAsynchronousChannelProvider(owner);
        AsynchronousChannelGroup group =
                channels.openAsynchronousChannelGroup(1, Aio.named("closing"));
        AtomicReference<IOException> failure = new AtomicReference<>();
        try (AsynchronousServerSocketChannel listener =
                        channels.openAsynchronousServerSocketChannel(null)
                                .bind(new InetSocketAddress(Here.ADDRESS, 0));
                ServerSocket tcp = new ServerSocket(0, 1, Here.ADDRESS);
                AsynchronousSocketChannel first = channels.openAsynchronousSocketChannel(group);
                AsynchronousSocketChannel second = channels.openAsynchronousSocketChannel(group)) {
            Aio.get(first.connect(listener.getLocalAddress()));
            SocketAddress at = tcp.getLocalSocketAddress();
            whileClosing.set(
                    () ->
                            failure.set(
                                    assertThrows(
                                            IOException.class, () -> Aio.get(second.connect(at)))));
            group.shutdownNow();
            assertNotNull(failure.get());
            Aio.get(listener.accept()).close();
        }
        assertTrue(group.awaitTermination(Aio.PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    /** Method: the group is closed while the stream is asked for a call. */
    @Test
    void callsTheHandlerOfAChannelInUse() throws Exception {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new Observed(new LoopbackProvider(), (_, call, _) -> before(call))),
                        Patience.SETTINGS);
        var channels = new SwitchAsynchronousChannelProvider(owner);
        AsynchronousChannelGroup group =
                channels.openAsynchronousChannelGroup(
                        Executors.newCachedThreadPool(Aio.named("pool")), 1);
        try (AsynchronousServerSocketChannel listener =
                        channels.openAsynchronousServerSocketChannel(null)
                                .bind(new InetSocketAddress(Here.ADDRESS, 0));
                AsynchronousSocketChannel client = channels.openAsynchronousSocketChannel(group)) {
            Aio.get(client.connect(listener.getLocalAddress()));
            closed.set(group);
            Outcome<Integer> read = new Outcome<>();
            client.read(ByteBuffer.allocate(1), null, read);
            assertInstanceOf(AsynchronousCloseException.class, read.failure());
            Aio.get(listener.accept()).close();
        }
        assertTrue(group.awaitTermination(Aio.PATIENCE_SECONDS, TimeUnit.SECONDS));
    }
}
