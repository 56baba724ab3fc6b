package io.sdp4j.offload.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.ListenPort;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.Here;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.jdk.KernelAsync;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.AcceptPendingException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AsyncAcceptorTest {
    private static final int PATIENCE_SECONDS = 20;

    private final OffloadSwitch owner =
            new OffloadSwitch(
                    Policy::allowAll, List.of(new LoopbackProvider()), SwitchSettings.defaults());
    private final KernelAsync kernel = KernelAsync.get();
    private AsyncAcceptor acceptor;
    private Future<AsynchronousSocketChannel> second;

    /**
     * Goal: an accept that came while the kernel refused its part of an earlier one is not left to
     * wait. Method: the earlier one is satisfied, and the later one begun, just before the refusal.
     */
    @Test
    void laterAcceptIsToldOfTheRefusal() throws Exception {
        SwitchChannelGroup group =
                new SwitchChannelGroup(
                        kernel.provider(),
                        kernel,
                        kernel.provider()
                                .openAsynchronousChannelGroup(
                                        1, Thread.ofPlatform().daemon().factory()));
        try (Refusing refusing = new Refusing(kernel.openServer(group.inner));
                AsynchronousSocketChannel client =
                        new SwitchAsynchronousChannelProvider(owner)
                                .openAsynchronousSocketChannel(null)) {
            refusing.before = () -> betweenTwoAccepts(client, refusing);
            acceptor =
                    new AsyncAcceptor(
                            group,
                            refusing,
                            new SwitchAsynchronousServerSocketChannel(owner, group, refusing));
            SocketAddress local = new InetSocketAddress(Here.ADDRESS, 0);
            acceptor.start(
                    ListenPort.around(
                            owner,
                            ListenPort.decision(owner, local),
                            local,
                            1,
                            acceptor::onPending,
                            refusing,
                            to -> refusing.bind(to, 1)));
            acceptor.accept(null, null).get(PATIENCE_SECONDS, TimeUnit.SECONDS).close();
            ExecutionException e =
                    assertThrows(
                            ExecutionException.class,
                            () -> second.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            assertInstanceOf(AcceptPendingException.class, e.getCause().getCause());
            assertEquals(IOException.class, e.getCause().getClass());
            acceptor.close();
        }
        group.shutdown();
        assertTrue(group.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    private void betweenTwoAccepts(
            AsynchronousSocketChannel client, AsynchronousServerSocketChannel listener) {
        try {
            client.connect(listener.getLocalAddress()).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        acceptor.onPending();
        second = acceptor.accept(null, null);
    }

    /** A kernel listener that has an accept under way which no thread knows of. */
    private static final class Refusing extends AsynchronousServerSocketChannel {
        private final AsynchronousServerSocketChannel listener;
        private Runnable before;

        Refusing(AsynchronousServerSocketChannel listener) {
            super(listener.provider());
            this.listener = listener;
        }

        @Override
        public <A> void accept(
                A attachment, CompletionHandler<AsynchronousSocketChannel, ? super A> handler) {
            before.run();
            throw new AcceptPendingException();
        }

        @Override
        public Future<AsynchronousSocketChannel> accept() {
            throw new AcceptPendingException();
        }

        @Override
        public AsynchronousServerSocketChannel bind(SocketAddress local, int backlog)
                throws IOException {
            return listener.bind(local, backlog);
        }

        @Override
        public SocketAddress getLocalAddress() throws IOException {
            return listener.getLocalAddress();
        }

        @Override
        public <T> AsynchronousServerSocketChannel setOption(SocketOption<T> name, T value)
                throws IOException {
            return listener.setOption(name, value);
        }

        @Override
        public <T> T getOption(SocketOption<T> name) throws IOException {
            return listener.getOption(name);
        }

        @Override
        public Set<SocketOption<?>> supportedOptions() {
            return listener.supportedOptions();
        }

        @Override
        public boolean isOpen() {
            return listener.isOpen();
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }
}
