package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a stream that fails while a connection takes it is closed, and the connection stays. */
@Timeout(60)
class FaultyMoveTest extends MovedByHand {
    @ParameterizedTest
    @ValueSource(strings = {"info", "notifyFd", "readerBehind"})
    void itIsClosed(String method) throws Exception {
        unable = method;
        channel.write(ByteBuffer.allocate(1));
        await().atMost(Duration.ofSeconds(20)).until(() -> closed);
        accepted.shutdownOutput();
        channel.configureBlocking(true);
        assertEquals(-1, channel.read(ByteBuffer.allocate(1)));
        channel.close();
        assertEquals(1, closes.get());
    }
}
