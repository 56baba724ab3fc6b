package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a thread that takes from the queue what another one waits for wakes that. Method: a writer
 * without credits is parked, no notification comes and nothing looks at quiet streams, so one call
 * alone sees that the peer has read.
 */
@Timeout(60)
final class LookThatWakesTest {
    private interface Look {
        void at(OffloadStream stream) throws Exception;
    }

    private static void assertWakes(TestFabric fabric, OffloadProvider connecting, Look look)
            throws Exception {
        try (StreamPair pair = new StreamPair(fabric.provider(), connecting)) {
            byte[] chunk = new byte[1 << 16];
            int sent = 0;
            int n;
            while ((n = pair.client.tryWrite(chunk, 0, chunk.length)) > 0) {
                sent += n;
            }
            Thread writer =
                    Thread.startVirtualThread(
                            () -> pair.client.await(OffloadStream.WRITE, Long.MAX_VALUE));
            await().until(() -> writer.getState() == Thread.State.WAITING);
            assertEquals(sent, readFully(pair.server, sent).length);
            assertEquals(0, pair.server.tryRead(chunk, 0, 1)); // gives the last message back
            look.at(pair.client);
            writer.join(TimeUnit.SECONDS.toMillis(20));
            assertEquals(Thread.State.TERMINATED, writer.getState());
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    private static void assertWakes(Look look) throws Exception {
        try (TestFabric fabric = new TestFabric().neverTrimming()) {
            assertWakes(fabric, fabric.provider(Shims::deaf), look);
        }
    }

    @Test
    void countingInputWakesAWriter() throws Exception {
        assertWakes(OffloadStream::available);
    }

    @Test
    void lookingWhetherAllHasLeftWakesAWriter() throws Exception {
        assertWakes(OffloadStream::drained);
    }

    @Test
    void soDoesTheSameLookWhenTheJvmEnds() throws Exception {
        assertWakes(stream -> ((SdpStream) stream).life().drained());
    }

    @Test
    void flushingForTheEndOfTheJvmWakesAWriter() throws Exception {
        assertWakes(stream -> ((SdpStream) stream).life().flush());
    }

    @Test
    void theTimeOfKeepAliveWakesAWriter() throws Exception {
        try (TestFabric fabric = new TestFabric().neverTrimming()) {
            long quick = TimeUnit.MILLISECONDS.toNanos(20);
            assertWakes(
                    fabric, fabric.probing(Shims::deaf, quick), stream -> stream.keepAlive(true));
        }
    }
}
