package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Streams;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/**
 * Goal: the outcome of a hand-shake is told to the connection that has begun it. Method: a client
 * that has ended its connection makes another one with the same port.
 */
class AcceptedTableTest {
    private static final InetSocketAddress LOCAL =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final InetSocketAddress REMOTE =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 2);

    private final OffloadSwitch owner =
            new OffloadSwitch(Policy::allowAll, List.of(), SwitchSettings.defaults());
    private final AcceptedTable table = new AcceptedTable();
    private final Accepted first = new Accepted(owner, table);
    private final Accepted second = new Accepted(owner, table);

    private static final class Accepted extends Upgrade {
        private boolean given;
        private boolean descriptorUsed; // to reset it

        Accepted(OffloadSwitch owner, AcceptedTable table) {
            super(owner, null, table, null, Began.now(new ReentrantLock(), new ReentrantLock()));
        }

        @Override
        protected InetSocketAddress local() {
            return LOCAL;
        }

        @Override
        protected InetSocketAddress remote() {
            return REMOTE;
        }

        @Override
        protected UpgradePolicy.Waits waits() {
            return UpgradePolicy.Waits.THREAD;
        }

        @Override
        protected FileDescriptor fileDescriptor() {
            descriptorUsed = true;
            return new FileDescriptor();
        }

        @Override
        protected StreamHandle take(OffloadStream stream) throws IOException {
            given = true;
            throw new IOException("it stays");
        }

        @Override
        protected StreamHandle taken() {
            return null;
        }

        @Override
        protected void onLimitKnown() {
            // it never moves
        }

        @Override
        protected void endKernelOutput() {
            // nor has it a socket
        }
    }

    private void beginTwo() {
        first.start();
        assertTrue(table.begin(LOCAL, REMOTE));
        second.start();
        assertFalse(table.begin(LOCAL, REMOTE), "that of the first is under way");
    }

    private static OffloadStream stream() {
        return Streams.of(
                (method, _) ->
                        switch (method) {
                            case "localAddress" -> LOCAL;
                            case "remoteAddress" -> REMOTE;
                            default -> null;
                        });
    }

    @Test
    void aStreamIsGivenToTheOneThatHasBegun() {
        beginTwo();
        table.moved(stream());
        assertTrue(first.given);
        assertFalse(second.given);
        assertTrue(table.begin(LOCAL, REMOTE));
        table.moved(stream());
        assertTrue(second.given);
    }

    @Test
    void aFailureIsToldToTheOneThatHasBegun() {
        beginTwo();
        table.failed(LOCAL, REMOTE);
        assertTrue(table.begin(LOCAL, REMOTE));
    }

    @Test
    void aLossIsToldToTheOneThatHasBegun() {
        beginTwo();
        table.broken(LOCAL, REMOTE);
        assertTrue(first.descriptorUsed);
        assertFalse(second.descriptorUsed);
        assertTrue(table.begin(LOCAL, REMOTE));
    }

    @Test
    void oneThatWasRefusedForScarcityMayBeginAgain() {
        first.start();
        assertTrue(table.begin(LOCAL, REMOTE));
        table.refused(LOCAL, REMOTE);
        assertTrue(table.begin(LOCAL, REMOTE));
    }

    @Test
    void oneThatStaysKeepsNoOther() {
        first.start();
        assertTrue(table.begin(LOCAL, REMOTE));
        table.failed(LOCAL, REMOTE);
        assertFalse(table.begin(LOCAL, REMOTE), "it stays");
        second.start();
        assertTrue(table.begin(LOCAL, REMOTE));
    }
}
