package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.Here;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
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

    /** Method: the group is closed while the stream is asked for a call. */
    @Test
    void callsTheHandlerOfAChannelInUse() throws Exception {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new Observed(new LoopbackProvider(), (_, call) -> before(call))),
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
