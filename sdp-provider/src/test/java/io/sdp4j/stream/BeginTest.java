package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.QueuePair;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a peer that ends before it has read what the switch says first has lost nothing, as if TCP
 * had carried the connection on. Method: the flags with which the client's queue pair sends.
 */
@Timeout(60)
class BeginTest {
    /** The application of an end that closes has left nothing unread then. */
    @Test
    void aCloseOverItIsInOrder() throws Exception {
        try (TestFabric fabric = new TestFabric(8);
                StreamPair pair = new StreamPair(fabric.provider())) {
            pair.server.readerBehind(true);
            assertTrue(pair.client.tryBegin(new byte[8]));
            Awaitility.await().until(() -> pair.server.available() == 8);
            pair.server.close(false);
            byte[] one = new byte[1];
            Awaitility.await().until(() -> pair.client.tryRead(one, 0, 1) == -1);
            pair.client.close(false);
        }
    }

    @Test
    void whatTheSwitchSaysIsNoLoss() throws Exception {
        CountedCalls calls = new CountedCalls();
        try (TestFabric fabric = new TestFabric(8);
                StreamPair pair = new StreamPair(fabric.provider(calls::connecting))) {
            calls.clear();
            assertTrue(pair.client.tryBegin(new byte[8]));
            assertFalse(calls.sendFlags().isEmpty());
            calls.sendFlags().forEach(f -> assertNotEquals(0, f & QueuePair.CONTROL));
            calls.clear();
            assertEquals(1, pair.client.tryWrite(new byte[1], 0, 1));
            assertEquals(0, calls.sendFlags().getLast() & QueuePair.CONTROL);
            assertEquals(9, StreamPair.readFully(pair.server, 9).length);
            pair.client.close(false);
            pair.server.close(false);
        }
    }
}
