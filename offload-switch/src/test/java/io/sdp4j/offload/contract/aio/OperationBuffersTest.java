package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.InterruptedByTimeoutException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A waiting operation tells the stream that its buffers are lent, from its start to its end, as a
 * stream needs it that moves payload without a copy.
 */
class OperationBuffersTest implements Aio {
    private final List<String> log = new ArrayList<>(); // itself
    private final List<ByteBuffer> lent = new ArrayList<>(); // log
    private final AsynchronousChannelProvider channels =
            new SwitchAsynchronousChannelProvider(
                    new OffloadSwitch(
                            Policy::allowAll,
                            List.of(
                                    new Observed(
                                            new LoopbackProvider(),
                                            (_, call, args) -> before(call, args))),
                            SwitchSettings.defaults()));

    @Override
    public AsynchronousChannelProvider provider() {
        return channels;
    }

    @Override
    public boolean offloads() {
        return true;
    }

    /** Records loans at the connecting end. */
    private void before(String call, Object[] args) {
        synchronized (log) {
            switch (call) {
                case "lend" -> {
                    log.add("lend " + args[0]);
                    OffloadStream.Loan loan = (OffloadStream.Loan) args[1];
                    lent.clear();
                    for (int i = 0; i < loan.buffers(); i++) {
                        lent.add(loan.buffer(i));
                    }
                }
                case "reclaim" -> log.add("reclaim " + args[0] + " " + args[1]);
                default -> {}
            }
        }
    }

    private List<String> log() {
        synchronized (log) {
            return List.copyOf(log);
        }
    }

    @Test
    void whatIsOverAtOnceIsNotLent() throws Exception {
        try (var p = pair()) {
            Aio.send(p.client(), "x");
            Aio.send(p.server(), "y");
            assertEquals("y", Aio.receive(p.client(), 1));
            assertEquals(List.of(), log());
        }
    }

    @Test
    void waitingReadLendsItsBuffersUntilItEnds() throws Exception {
        try (var p = pair()) {
            ByteBuffer one = ByteBuffer.allocateDirect(4);
            Future<Integer> read = p.client().read(one);
            assertEquals(List.of("lend 1"), log());
            assertSame(one, lent.getFirst());
            Aio.send(p.server(), "x");
            assertEquals(1, Aio.get(read));
            assertEquals(List.of("lend 1", "reclaim 1 false"), log());

            ByteBuffer[] many = {ByteBuffer.allocate(1), ByteBuffer.allocate(1), null};
            Outcome<Long> scattered = new Outcome<>();
            p.client().read(many, 0, 2, 0, TimeUnit.SECONDS, null, scattered);
            assertEquals(List.of(many[0], many[1]), lent);
            Aio.send(p.server(), "z");
            assertEquals(1L, scattered.get());
            assertEquals("reclaim 1 false", log().getLast());
        }
    }

    @Test
    void waitingWriteLendsToo() throws Exception {
        try (var p = pair()) {
            Outcome<Integer> write = Aio.fill(p.client());
            assertEquals("lend 2", log().getLast());
            Aio.drainUntil(p.server(), write);
            assertTrue(write.get() > 0);
            assertEquals("reclaim 2 false", log().getLast());
        }
    }

    @Test
    void whatIsGivenUpIsReclaimed() throws Exception {
        try (var p = pair()) {
            Outcome<Integer> read = new Outcome<>();
            p.client().read(ByteBuffer.allocate(1), 10, TimeUnit.MILLISECONDS, null, read);
            read.failedWith(InterruptedByTimeoutException.class, null);
            assertEquals(List.of("lend 1", "reclaim 1 true"), log());
        }
        AsynchronousSocketChannel client;
        try (var p = pair()) {
            client = p.client();
            assertTrue(client.read(ByteBuffer.allocate(1)).cancel(false));
            assertEquals("reclaim 1 true", log().getLast());
        }
    }
}
