package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.spi.OffloadStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a quiet stream answers its peer, although all that tells of a message is a descriptor that
 * its owner does not look at. Method: the client lends a buffer, which nothing fetches, so that it
 * asks for it back; only the answer returns it.
 */
@Timeout(60)
class WatchedRestTest {
    @Test
    void answersAlthoughItsSelectorIsBusy() throws Exception {
        StreamSettings.Zcopy zcopy = TestFabric.zcopy(true, false);
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = new StreamPair(fabric.provider(zcopy), fabric.provider(zcopy))) {
            SdpStream client = (SdpStream) pair.client;
            SdpStream server = (SdpStream) pair.server;
            assertEquals(0, server.requestNotify(OffloadStream.READ));
            // looked at, found quiet, and looked at again
            int[] looks = {0};
            await().pollInterval(Duration.ofMillis(250))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> ++looks[0] > 8);
            Operation write = Operation.write(client, ByteBuffer.allocateDirect(1 << 18));
            assertTrue(write.lent());
            assertTrue(StreamPair.hasLoan(client));
            await().atMost(Duration.ofSeconds(20))
                    .until(
                            () -> {
                                client.ready(); // as its writer, which waits
                                return !StreamPair.hasLoan(client);
                            });
        }
    }
}
