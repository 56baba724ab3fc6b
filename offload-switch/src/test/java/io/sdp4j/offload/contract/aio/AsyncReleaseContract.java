package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Here;
import io.sdp4j.offload.contract.nio.Nio;
import io.sdp4j.testing.FreePorts;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.InterruptedByTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An operation lets go of its arguments when it is over, however long its channel lives. */
interface AsyncReleaseContract extends Aio {
    /**
     * Objects of one operation, of which the test itself holds none: it gets what the handler was
     * told by way of a queue that the handler hands it to.
     */
    final class Given<V> {
        private final List<WeakReference<Object>> all = new ArrayList<>();
        private final SynchronousQueue<List<Object>> told = new SynchronousQueue<>();

        <T> T watched(T given) {
            all.add(new WeakReference<>(given));
            return given;
        }

        Object attachment() {
            return watched(new byte[1 << 10]);
        }

        CompletionHandler<V, Object> handler() {
            return watched(new Handler<>(told));
        }

        ByteBuffer buffer(int bytes) {
            return watched(ByteBuffer.allocate(bytes));
        }

        /** A result, or how it failed. */
        Object told() throws InterruptedException {
            return told(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        }

        private Object told(long millis) throws InterruptedException {
            List<Object> outcome = told.poll(millis, TimeUnit.MILLISECONDS);
            return outcome == null ? "nothing" : outcome.getFirst();
        }

        void awaitReleased(Object... alive) {
            try {
                Nio.await()
                        .until(
                                () -> {
                                    System.gc();
                                    return all.stream().allMatch(r -> r.refersTo(null));
                                });
            } finally {
                Reference.reachabilityFence(alive);
            }
        }
    }

    /** Tells a queue, and forgets. */
    final class Handler<V> implements CompletionHandler<V, Object> {
        private final SynchronousQueue<List<Object>> to;

        Handler(SynchronousQueue<List<Object>> to) {
            this.to = to;
        }

        private void tell(Object outcome) {
            try {
                to.offer(List.of(outcome), PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void completed(V result, Object attachment) {
            tell(result == null ? "done" : result);
        }

        @Override
        public void failed(Throwable failure, Object attachment) {
            tell(failure);
        }
    }

    /**
     * Where the JDK's own channel does less: it keeps the attachments of a connect and an accept,
     * and all of what was closed, timed out or was cancelled, until the next operation.
     */
    private void released(Given<?> given, Object... alive) {
        if (offloads()) {
            given.awaitReleased(alive);
        }
    }

    @Test
    @DisplayName("82: a connect that is over keeps nothing, connected or refused")
    default void connectReleases() throws Exception {
        try (AsynchronousServerSocketChannel listener = listen(null);
                AsynchronousSocketChannel c = channel(null)) {
            Given<Void> given = new Given<>();
            c.connect(listener.getLocalAddress(), given.attachment(), given.handler());
            AsynchronousSocketChannel s = Aio.get(listener.accept());
            assertEquals("done", given.told());
            released(given, c, s);
            s.close();
        }
        InetSocketAddress unused = new InetSocketAddress(Here.ADDRESS, FreePorts.one());
        try (AsynchronousSocketChannel c = channel(null)) {
            Given<Void> given = new Given<>();
            c.connect(unused, given.attachment(), given.handler());
            assertInstanceOf(IOException.class, given.told());
            released(given, c);
        }
    }

    @Test
    @DisplayName("82: an accept that is over keeps nothing, also one that was closed")
    default void acceptReleases() throws Exception {
        AsynchronousServerSocketChannel listener = listen(null);
        try (AsynchronousSocketChannel c = channel(null)) {
            Given<AsynchronousSocketChannel> given = new Given<>();
            listener.accept(given.attachment(), given.handler());
            Future<Void> connect = c.connect(listener.getLocalAddress());
            try (var s = assertInstanceOf(AsynchronousSocketChannel.class, given.told())) {
                Aio.get(connect);
                released(given, listener, c, s);
            }
            Given<AsynchronousSocketChannel> closed = new Given<>();
            listener.accept(closed.attachment(), closed.handler());
            listener.close();
            assertInstanceOf(AsynchronousCloseException.class, closed.told());
            released(closed, listener);
        } finally {
            listener.close();
        }
    }

    @Test
    @DisplayName("82: a read that is over keeps nothing, whether it waited or not")
    default void readReleases() throws Exception {
        try (var p = pair()) {
            for (boolean waits : new boolean[] {true, false}) {
                Given<Integer> given = new Given<>();
                if (waits) {
                    read(p.client(), given);
                    Aio.send(p.server(), "x");
                } else {
                    Aio.send(p.server(), "x");
                    read(p.client(), given);
                }
                assertEquals(1, given.told());
                given.awaitReleased(p);
            }
            Given<Integer> closed = new Given<>();
            read(p.client(), closed);
            p.client().close();
            assertInstanceOf(AsynchronousCloseException.class, closed.told());
            released(closed, p);
        }
    }

    private static void read(AsynchronousSocketChannel c, Given<Integer> given) {
        c.read(given.buffer(1), 1, TimeUnit.HOURS, given.attachment(), given.handler());
    }

    @Test
    @DisplayName("82: a write that is over keeps nothing, whether it waited or not")
    default void writeReleases() throws Exception {
        try (var p = pair()) {
            Given<Integer> quick = new Given<>();
            p.client().write(quick.buffer(10), quick.attachment(), quick.handler());
            assertEquals(10, quick.told());
            quick.awaitReleased(p);
            Given<Integer> waited = waitingWrite(p.client(), 1, TimeUnit.HOURS);
            Object outcome = "nothing";
            while (outcome.equals("nothing")) {
                Aio.get(p.server().read(ByteBuffer.allocate(1 << 20)));
                outcome = waited.told(50);
            }
            assertInstanceOf(Integer.class, outcome);
            waited.awaitReleased(p);
        }
    }

    /** Writes until a write waits, which it returns. */
    private static Given<Integer> waitingWrite(
            AsynchronousSocketChannel c, long timeout, TimeUnit unit) throws Exception {
        while (true) {
            Given<Integer> given = new Given<>();
            c.write(given.buffer(256 << 10), timeout, unit, given.attachment(), given.handler());
            if (given.told(200).equals("nothing")) {
                return given;
            }
        }
    }

    @Test
    @DisplayName("82: an operation that timed out or was cancelled keeps nothing")
    default void endedEarlyReleases() throws Exception {
        try (var p = pair()) {
            Given<Integer> late = new Given<>();
            p.client()
                    .read(
                            late.buffer(1),
                            1,
                            TimeUnit.MILLISECONDS,
                            late.attachment(),
                            late.handler());
            assertInstanceOf(InterruptedByTimeoutException.class, late.told());
            released(late, p);
            Given<Integer> cancelled = new Given<>();
            cancelRead(p.server(), cancelled);
            released(cancelled, p);
            Given<Integer> stuck;
            Object outcome;
            do { // a write that was only slow
                stuck = waitingWrite(p.client(), 1, TimeUnit.SECONDS);
                outcome = stuck.told();
            } while (outcome instanceof Integer);
            assertInstanceOf(InterruptedByTimeoutException.class, outcome);
            released(stuck, p);
        }
    }

    private static void cancelRead(AsynchronousSocketChannel c, Given<Integer> given) {
        Future<Integer> read = given.watched(c.read(given.buffer(1)));
        assertTrue(read.cancel(false));
    }
}
