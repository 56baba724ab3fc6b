package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: the header of a message, which the peer may still change, is read once. Method: reads of
 * received memory are counted.
 */
@Timeout(60)
final class PrivateCopyTest {
    @Test
    void aHeaderIsReadOnce() throws Exception {
        CountedCalls calls = new CountedCalls();
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(calls::connecting))) {
            for (int n = 0; n < 20; n++) {
                StreamPair.writeFully(pair.server, new byte[100]);
                assertEquals(100, StreamPair.readFully(pair.client, 100).length);
            }
            assertEquals(20, calls.count("readHeader"), "once of each");
            pair.client.close(false);
            pair.server.close(false);
        }
    }
}
