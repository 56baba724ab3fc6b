package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static io.sdp4j.stream.StreamPair.writeFully;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a buffer that cannot be copied costs the stream nothing. Method: memory of an arena that is
 * closed, and of a file that was cut off after it was mapped.
 */
@Timeout(60)
final class BadBufferTest {
    /** More than there are slots and credits. */
    private static final int TIMES = 100;

    /** Until the code is compiled, where such an error comes late. */
    private static final int MANY_TIMES = 20_000;

    private static final int SMALL = 100;
    private static final int MEDIUM = 8_000;
    private static final int LARGE = 100_000;

    @TempDir private Path folder;

    private final TestFabric fabric = TestFabric.opened();
    private StreamPair pair;

    @BeforeEach
    void connect() throws Exception {
        pair = new StreamPair(fabric.provider());
    }

    @AfterEach
    void close() throws IOException {
        pair.client.close(true);
        pair.server.close(true);
        pair.close();
        fabric.close();
    }

    private static ByteBuffer closed(int bytes) {
        try (Arena arena = Arena.ofShared()) {
            return arena.allocate(bytes).asByteBuffer();
        }
    }

    private ByteBuffer cutOff(int bytes) throws IOException {
        try (FileChannel file =
                FileChannel.open(
                        folder.resolve("f"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            ByteBuffer mapped = file.map(MapMode.READ_WRITE, 0, bytes);
            file.truncate(0);
            return mapped;
        }
    }

    private static byte[] random(int len) {
        byte[] b = new byte[len];
        new Random(len).nextBytes(b);
        return b;
    }

    private void stillWorks() throws Exception {
        byte[] all = random(64_000); // fits what is on its way
        writeFully(pair.client, all);
        assertArrayEquals(all, readFully(pair.server, all.length));
    }

    @Test
    void ofWritesTakesNoSlot() throws Exception {
        for (int size : new int[] {SMALL, LARGE}) {
            ByteBuffer bad = closed(size);
            for (int i = 0; i < TIMES; i++) {
                assertThrows(IllegalStateException.class, () -> pair.client.tryWrite(bad));
                assertEquals(size, bad.remaining());
            }
            stillWorks();
        }
    }

    /** Goal: what a message has gathered of writes before leaves with it. */
    @Test
    void ofWritesLosesNothingThatWasGathered() throws Exception {
        ByteBuffer large = closed(LARGE);
        ByteBuffer small = closed(SMALL);
        byte[] all = random(2 * TIMES);
        int sent = 0;
        for (int i = 0; i < TIMES; i++) {
            sent += pair.client.tryWrite(all, sent, 1);
            assertThrows(IllegalStateException.class, () -> pair.client.tryWrite(large));
            sent += pair.client.tryWrite(all, sent, 1);
            assertThrows(IllegalStateException.class, () -> pair.client.tryWrite(small));
        }
        assertEquals(all.length, sent, "the last message that fits gathers them");
        assertArrayEquals(all, readFully(pair.server, all.length));
        stillWorks();
    }

    @Test
    void ofWritesThatIsCutOffIsTheKernelsError() throws Exception {
        for (int size : new int[] {SMALL, MEDIUM, LARGE}) {
            ByteBuffer bad = cutOff(size);
            ByteBuffer good = ByteBuffer.allocateDirect(1);
            for (int i = 0; i < MANY_TIMES; i++) {
                IOException e = assertThrows(IOException.class, () -> pair.client.tryWrite(bad));
                assertEquals("Bad address", e.getMessage());
                good.clear().put((byte) i).flip();
                assertEquals(1, pair.client.tryWrite(good)); // else that way stays cold
                assertEquals((byte) i, readFully(pair.server, 1)[0]);
            }
            stillWorks();
        }
    }

    @Test
    void behindAnotherOfTheSameWriteIsTheNextWrites() throws Exception {
        for (int size : new int[] {SMALL, LARGE}) {
            byte[] sent = random(10);
            ByteBuffer[] both = {ByteBuffer.wrap(sent), cutOff(size)};
            assertEquals(sent.length, pair.client.tryWrite(both, 0, 2));
            assertArrayEquals(sent, readFully(pair.server, sent.length));
            assertThrows(IOException.class, () -> pair.client.tryWrite(both, 0, 2));
            stillWorks();
        }
    }

    @Test
    void ofReadsLeavesTheBytesUnread() throws Exception {
        byte[] all = random(64_000);
        writeFully(pair.client, all);
        assertTrue((pair.server.ready() & OffloadStream.READ) != 0);
        ByteBuffer bad = closed(LARGE);
        ByteBuffer cut = cutOff(MEDIUM);
        ByteBuffer small = cutOff(SMALL);
        for (int i = 0; i < MANY_TIMES; i++) {
            assertThrows(IllegalStateException.class, () -> pair.server.tryRead(bad));
            IOException e = assertThrows(IOException.class, () -> pair.server.tryRead(cut));
            assertEquals("Bad address", e.getMessage());
            assertThrows(IOException.class, () -> pair.server.tryRead(small));
        }
        assertArrayEquals(all, readFully(pair.server, all.length));
        stillWorks();
    }
}
