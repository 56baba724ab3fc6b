package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.offload.contract.Task;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: no output moves after a write that has failed and of which a part has gone: the limit would
 * leave that part out, and the peer would not read it. Method: the stream comes while the kernel
 * takes no more, then the write fails.
 */
@Timeout(60)
class PartGoneTest extends MovedByHand {
    private static final int MANY_BYTES = 64 << 20; // more than the kernel takes unread

    /** A write of which a part has gone, and which waits; there is a stream. */
    private Task<Long> writer(Callable<Long> write) throws Exception {
        channel.configureBlocking(true);
        Task<Long> writer = Task.start(write);
        await().until(() -> accepted.socket().getInputStream().available() > 0);
        accepted.write(ByteBuffer.allocate(1));
        assertEquals(1, channel.read(ByteBuffer.allocate(1)));
        await().until(() -> toRead != null);
        return writer;
    }

    private void assertStays() throws InterruptedException {
        assertFalse(SwitchedConnection.of(channel).moving.handover.outMoved());
        tellLimit(1);
        assertFalse(SwitchedConnection.of(channel).moving.handover.outMoved());
    }

    /** An interrupt closes the file, not the channel. */
    @Test
    void ofAFile() throws Exception {
        Path path = Files.createTempFile("sent", ".bin");
        try (RandomAccessFile large = new RandomAccessFile(path.toFile(), "rw")) {
            large.setLength(MANY_BYTES);
            FileChannel file = large.getChannel();
            Task<Long> writer =
                    writer(() -> SwitchedConnection.of(channel).moving.send(file, 0, MANY_BYTES));
            writer.thread().interrupt();
            assertThrows(ClosedByInterruptException.class, writer::get);
            assertStays();
        } finally {
            Files.delete(path);
        }
    }

    @Test
    void ofASocket() throws Exception {
        Task<Long> writer =
                writer(
                        () -> {
                            channel.socket().getOutputStream().write(new byte[MANY_BYTES]);
                            return 0L;
                        });
        accepted.setOption(StandardSocketOptions.SO_LINGER, 0);
        accepted.close();
        assertThrows(IOException.class, writer::get);
        assertStays();
    }
}
