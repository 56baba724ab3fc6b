package io.sdp4j.offload.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a file that the kernel sends never closes the descriptor of the connection, which is the
 * channel's to close. Method: interrupts it, and uses the descriptor afterwards.
 */
@Timeout(60)
class InterruptedFileTest extends MovedByHand {
    @Test
    void theDescriptorStays() throws Exception {
        Path path = Files.write(Files.createTempFile("sent", ".bin"), new byte[100]);
        try {
            interrupted(path);
            assertTrue(channel.isOpen());
            try (FileChannel file = FileChannel.open(path)) { // and sends the next one
                assertEquals(100, KernelFiles.send(channel, file, 100));
            }
            interrupted(path);
            channel.register(selector, SelectionKey.OP_READ);
            accepted.write(ByteBuffer.allocate(3));
            assertEquals(1, selector.select(20_000));
            assertEquals(3, channel.read(ByteBuffer.allocate(9)));
        } finally {
            Files.delete(path);
        }
    }

    private void interrupted(Path path) throws IOException {
        FileChannel file = FileChannel.open(path);
        Thread.currentThread().interrupt();
        try {
            assertThrows(
                    ClosedByInterruptException.class, () -> KernelFiles.send(channel, file, 100));
        } finally {
            assertTrue(Thread.interrupted());
            file.close();
        }
    }
}
