package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.OneStream;
import io.sdp4j.offload.contract.Streams;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: of a file that goes to a channel that does not block, nothing is read that does not go out;
 * and nothing else goes out between its pieces. Method: a file without end that counts, a stream
 * with a little room at a time.
 */
@Timeout(60)
class FileRoomTest {
    /** As long as what is still read in pieces may be. */
    private static final int COUNT = 256 << 10;

    private final OffloadStream stream = Streams.of(this::answer);
    private int room;
    private final List<Integer> written = new ArrayList<>();

    private Object answer(String method, Object[] args) {
        return switch (method) {
            case "room" -> room;
            case "tryWrite" -> {
                ByteBuffer from = (ByteBuffer) args[0];
                int n = Math.min(room, from.remaining());
                from.position(from.position() + n);
                room -= n;
                written.add(n);
                yield n;
            }
            case "localAddress", "remoteAddress" ->
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
            case "requestNotify" -> 0;
            case "arm", "drained" -> true;
            default -> null;
        };
    }

    private SocketChannel connected() throws IOException {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new OneStream(stream)),
                        SwitchSettings.defaults());
        SocketChannel channel = SwitchChannels.provider(owner).openSocketChannel();
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        return channel;
    }

    @Test
    void nothingGoesOutBetweenItsPieces() throws Exception {
        room = Integer.MAX_VALUE;
        try (SocketChannel from = connected()) {
            SwitchedConnection connection = SwitchedConnection.of(from);
            AtomicReference<Task<Integer>> other = new AtomicReference<>();
            Zeros file =
                    new Zeros() {
                        @Override
                        public int read(ByteBuffer into, long position) {
                            if (position > 0 && other.get() == null) {
                                other.set(Task.start(() -> from.write(ByteBuffer.allocate(1))));
                                await().until(
                                                () ->
                                                        other.get().done()
                                                                || connection.writeLock
                                                                        .hasQueuedThreads());
                            }
                            return super.read(into, position);
                        }
                    };
            assertEquals(COUNT, connection.connectedStream().send(file, 0, COUNT));
            assertEquals(1, other.get().get());
            assertEquals(1, written.getLast());
        }
    }

    @Test
    void nothingIsReadInVain() throws Exception {
        long seed = Long.getLong("sdp4j.test.seed", System.nanoTime());
        Random random = new Random(seed);
        try (SocketChannel from = connected()) {
            from.configureBlocking(false);
            Zeros file = new Zeros();
            long sent = 0;
            for (int i = 0; i < 200; i++) {
                room = random.nextInt(200_000);
                int before = room;
                long n = SwitchedConnection.of(from).connectedStream().send(file, sent, COUNT);
                assertEquals(before, n + room, "seed " + seed);
                sent += n;
                assertEquals(sent, file.read, "seed " + seed);
                assertEquals(0, room, "seed " + seed);
            }
        }
    }

    /** Counts what is read. */
    private static class Zeros extends FileChannel {
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
