package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: of a file that goes to a channel that does not block, nothing is read that does not go out.
 * Method: a file without end that counts, a reader who takes a little at a time; what the agent
 * makes of {@code FileChannel.transferTo} is called as it would be.
 */
@Timeout(60)
class FileRoomTest {
    /** As long as what is still read in pieces may be. */
    private static final int COUNT = 256 << 10;

    @Test
    void nothingIsReadInVain() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (TestFabric fabric = new TestFabric()) {
            SelectorProvider provider = TestChannels.provider(fabric.provider());
            try (ServerSocketChannel listener = TestChannels.listen(provider);
                    SocketChannel from = provider.openSocketChannel()) {
                from.connect(listener.getLocalAddress());
                from.configureBlocking(false);
                try (SocketChannel to = listener.accept()) {
                    Zeros file = new Zeros();
                    ByteBuffer into = ByteBuffer.allocate(100_000);
                    long sent = 0;
                    int full = 0;
                    for (int i = 0; i < 200; i++) {
                        long n = transfer(file, sent, from);
                        full += n == 0 ? 1 : 0;
                        sent += n;
                        assertEquals(sent, file.read, "seed " + seed);
                        to.read(into.clear().limit(1 + random.nextInt(60_000)));
                    }
                    assertTrue(sent > COUNT && full > 0, sent + " sent, " + full + " times full");
                }
            }
        }
    }

    @SuppressWarnings("unchecked") // as the agent does
    private static long transfer(FileChannel file, long position, SocketChannel to) {
        Long sent =
                ((BiFunction<FileChannel, long[], Long>) (Object) to)
                        .apply(file, new long[] {position, COUNT});
        assertNotNull(sent, "is to be read in pieces");
        return sent;
    }

    /** Counts what is read. */
    private static final class Zeros extends FileChannel {
        long read;

        @Override
        public int read(ByteBuffer into, long position) {
            assertEquals(read, position);
            int n = into.remaining();
            into.position(into.limit());
            read += n;
            return n;
        }

        private static UnsupportedOperationException unexpected() {
            return new UnsupportedOperationException("not by a transfer");
        }

        @Override
        public int read(ByteBuffer into) {
            throw unexpected();
        }

        @Override
        public long read(ByteBuffer[] into, int offset, int length) {
            throw unexpected();
        }

        @Override
        public int write(ByteBuffer from) {
            throw unexpected();
        }

        @Override
        public long write(ByteBuffer[] from, int offset, int length) {
            throw unexpected();
        }

        @Override
        public int write(ByteBuffer from, long position) {
            throw unexpected();
        }

        @Override
        public long position() {
            throw unexpected();
        }

        @Override
        public FileChannel position(long position) {
            throw unexpected();
        }

        @Override
        public long size() {
            throw unexpected();
        }

        @Override
        public FileChannel truncate(long size) {
            throw unexpected();
        }

        @Override
        public void force(boolean metaData) {
            throw unexpected();
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) {
            throw unexpected();
        }

        @Override
        public long transferFrom(ReadableByteChannel source, long position, long count) {
            throw unexpected();
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long position, long size) {
            throw unexpected();
        }

        @Override
        public FileLock lock(long position, long size, boolean shared) {
            throw unexpected();
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) {
            throw unexpected();
        }

        @Override
        protected void implCloseChannel() throws IOException {
            throw unexpected();
        }
    }
}
