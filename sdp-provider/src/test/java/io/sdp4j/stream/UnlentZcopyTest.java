package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.spi.OffloadStream;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: where zero copy is on, an operation whose buffer is copied all the same costs no look at
 * the device and no notification, and leaves gathered bytes alone. Method: calls of a queue pair
 * and its completion queue are counted, over shared memory.
 */
@Timeout(60)
final class UnlentZcopyTest {
    private static final StreamSettings.Zcopy ZCOPY = TestFabric.zcopy(true, false);
    private static final int SMALL = 65_536;
    private static final int LARGE = 65_537;

    private final CountedCalls calls = new CountedCalls();

    private StreamPair pair(TestFabric fabric) throws Exception {
        return new StreamPair(fabric.provider(ZCOPY), fabric.provider(calls::connecting, ZCOPY));
    }

    private record One(ByteBuffer buffer) implements OffloadStream.Loan {
        @Override
        public int buffers() {
            return 1;
        }

        @Override
        public ByteBuffer buffer(int index) {
            return buffer;
        }
    }

    /** The input is shut, so the stream has something of its own to be notified of. */
    @ParameterizedTest
    @ValueSource(ints = {OffloadStream.READ, OffloadStream.WRITE})
    void isNotLookedAfter(int op) throws Exception {
        try (TestFabric fabric = new TestFabric().neverTrimming();
                StreamPair pair = pair(fabric)) {
            if (op == OffloadStream.WRITE) {
                pair.client.shutdownInput();
                assertTrue(calls.count("arm") > 0);
            }
            calls.clear();
            lend(pair, op, SMALL);
            assertEquals(0, calls.count("poll"), "looks");
            assertEquals(0, calls.count("arm"), "notifications");
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    @Test
    void leavesGatheredBytesAlone() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = pair(fabric)) {
            byte[] small = new byte[100];
            int before = -1;
            while (before
                    != calls.count("postSend")) { // the peer reads nothing: at last one is kept
                before = calls.count("postSend");
                assertEquals(small.length, pair.client.tryWrite(small, 0, small.length));
            }
            lend(pair, OffloadStream.WRITE, SMALL);
            assertEquals(before, calls.count("postSend"));
            pair.client.close(true);
            pair.server.close(true);
        }
    }

    @Test
    void aReadWithBytesInHandIsNoLoan() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = pair(fabric)) {
            assertEquals(2, pair.server.tryWrite(new byte[2], 0, 2));
            StreamPair.readFully(pair.client, 1);
            calls.clear();
            lend(pair, OffloadStream.READ, LARGE);
            assertEquals(0, calls.count("poll"), "looks");
            assertEquals(0, calls.count("register"), "registrations");
            StreamPair.readFully(pair.client, 1);
            lend(pair, OffloadStream.READ, LARGE);
            assertEquals(1, calls.count("register"), "registrations");
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    private static void lend(StreamPair pair, int op, int lenBytes) {
        pair.client.lend(op, new One(ByteBuffer.allocateDirect(lenBytes)));
        pair.client.reclaim(op, false);
    }
}
