package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.SocketException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a stream that is closed with input unread is cut, and says nothing before that lets a
 * waiting write of the peer go on and succeed. Method: the peer has filled all buffers, a part of
 * one message was read; the sends of the side that closes are counted.
 */
@Timeout(60)
class CloseWithUnreadTest {
    @Test
    void saysNothingBeforeTheCut() throws Exception {
        byte[] chunk = new byte[65_536];
        CountedCalls calls = new CountedCalls();
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(calls::connecting))) {
            while (pair.server.tryWrite(chunk, 0, chunk.length) > 0) {
                // until the client's buffers are full
            }
            assertEquals(100, pair.client.tryRead(new byte[100], 0, 100));
            int before = calls.count("postSend");
            pair.client.close(false);
            assertEquals(before, calls.count("postSend"));
            Awaitility.await()
                    .untilAsserted(
                            () ->
                                    assertThrows(
                                            SocketException.class,
                                            () -> pair.server.tryWrite(chunk, 0, 1)));
        }
    }

    @Test
    void anUrgentByteIsNotSentAfterIt() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = new StreamPair(fabric.provider())) {
            pair.server.tryWrite(new byte[100], 0, 100);
            assertEquals(1, pair.client.tryRead(new byte[1], 0, 1));
            pair.client.close(false);
            assertThrows(SocketException.class, () -> pair.server.tryWriteUrgent(1));
        }
    }
}
