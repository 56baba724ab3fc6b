package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a channel that reads or writes a mapped file which is shorter by now tells of the bytes
 * that have moved, and the next call of the missing page, as the kernel does.
 */
@Timeout(60)
final class CutOffFileTest {
    /** More than is on its way at a time. */
    private static final int THERE = 2 << 20;

    @TempDir private Path folder;

    private ByteBuffer cutOff(int there) throws IOException {
        try (FileChannel file =
                FileChannel.open(
                        folder.resolve("f"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            ByteBuffer mapped = file.map(MapMode.READ_WRITE, 0, 2 * THERE);
            file.truncate(there);
            return mapped;
        }
    }

    private interface Connected {
        void run(SocketChannel client, SocketChannel server) throws Exception;
    }

    private static void connected(Connected test) throws Exception {
        try (TestFabric fabric = new TestFabric()) {
            SelectorProvider provider = TestChannels.provider(fabric.provider());
            try (ServerSocketChannel listener = TestChannels.listen(provider);
                    SocketChannel client = provider.openSocketChannel()) {
                client.connect(listener.getLocalAddress());
                try (SocketChannel server = listener.accept()) {
                    test.run(client, server);
                }
            }
        }
    }

    private static int readToEnd(SocketChannel from) throws IOException {
        ByteBuffer b = ByteBuffer.allocate(3 * THERE);
        while (from.read(b) >= 0) {
            // until there is no more
        }
        return b.position();
    }

    @Test
    void aWriteThatWaitsTellsOfWhatHasGone() throws Exception {
        connected(
                (client, server) -> {
                    Task<Integer> reader = Task.start(() -> readToEnd(server));
                    ByteBuffer file = cutOff(THERE);
                    int written = client.write(file);
                    assertTrue(written > 0 && written <= THERE, () -> written + " bytes");
                    assertEquals(written, file.position());
                    IOException e = assertThrows(IOException.class, () -> client.write(file));
                    assertEquals("Bad address", e.getMessage());
                    assertEquals(1, client.write(ByteBuffer.allocate(1)));
                    client.shutdownOutput();
                    assertEquals(written + 1, reader.get());
                });
    }

    @Test
    void aScatteringReadTellsOfWhatHasCome() throws Exception {
        connected(
                (client, server) -> {
                    assertEquals(9, client.write(ByteBuffer.allocate(9)));
                    ByteBuffer[] both = {ByteBuffer.allocate(4), cutOff(0)};
                    assertEquals(4, server.read(both));
                    IOException e = assertThrows(IOException.class, () -> server.read(both));
                    assertEquals("Bad address", e.getMessage());
                    assertEquals(5, server.read(ByteBuffer.allocate(9)));
                });
    }
}
