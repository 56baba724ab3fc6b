package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static io.sdp4j.stream.StreamPair.writeFully;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.trace.TraceEvent;
import io.sdp4j.trace.TraceReader;
import io.sdp4j.trace.TraceWriter;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.Mid;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the small buffers of a gathering write travel together, in order, and leave without another
 * call. Method: both ends of a stream over shared memory, messages counted in a trace.
 */
@Timeout(60)
class CoalescingTest {
    @TempDir private Path folder;

    private static ByteBuffer[] slices(byte[] all, int each) {
        List<ByteBuffer> slices = new ArrayList<>();
        for (int at = 0; at < all.length; at += each) {
            slices.add(ByteBuffer.wrap(all, at, Math.min(each, all.length - at)));
        }
        return slices.toArray(ByteBuffer[]::new);
    }

    private static byte[] random(int len) {
        byte[] all = new byte[len];
        new Random(len).nextBytes(all);
        return all;
    }

    /** Payload bytes of the messages that the connecting side has sent. */
    private static List<Integer> sent(Path file) throws IOException {
        List<Integer> sent = new ArrayList<>();
        try (TraceReader reader = TraceReader.open(file)) {
            int number =
                    reader.connections().stream()
                            .filter(c -> c.connecting())
                            .findFirst()
                            .orElseThrow()
                            .number();
            reader.forEach(
                    e -> {
                        if (e.connection() == number
                                && !e.received()
                                && e.kind() == TraceEvent.Kind.MESSAGE
                                && Bsdh.mid(e.kept(), 0) == Mid.DATA
                                && e.byteLen() > Bsdh.BYTES) {
                            sent.add(e.byteLen() - Bsdh.BYTES);
                        }
                    });
        }
        return sent;
    }

    @Test
    void smallBuffersShareAMessage() throws Exception {
        Path file = folder.resolve("t");
        TraceWriter trace = TraceWriter.create(file, 1 << 20, 0, 0, System.nanoTime(), 1);
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = new StreamPair(fabric.traced(trace))) {
            byte[] all = random(16 * 256);
            assertEquals(all.length, pair.client.tryWrite(slices(all, 256), 0, 16));
            assertArrayEquals(all, readFully(pair.server, all.length));
            assertEquals(List.of(all.length), sent(file));

            ByteBuffer twice = ByteBuffer.wrap(new byte[] {1, 2, 3});
            ByteBuffer[] odd = {ByteBuffer.allocate(0), twice, twice, ByteBuffer.allocate(0)};
            assertEquals(3, pair.client.tryWrite(odd, 1, 4));
            assertArrayEquals(new byte[] {1, 2, 3}, readFully(pair.server, 3));
            assertEquals(0, pair.client.tryWrite(odd, 0, 4), "nothing remains");
            assertEquals(List.of(all.length, 3), sent(file));
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    @Test
    void writesAreGatheredUntilThePeerHasCaughtUp() throws Exception {
        Path file = folder.resolve("t");
        TraceWriter trace = TraceWriter.create(file, 1 << 20, 0, 0, System.nanoTime(), 1);
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = new StreamPair(fabric.traced(trace))) {
            byte[] all = random(64 * 121);
            byte[] got = new byte[all.length];
            writes(pair.client, all, 0, 117); // the peer is behind
            int read = Math.max(0, pair.server.tryRead(got, 0, got.length));
            // finds nothing, and tells of its buffers
            read += pair.server.tryRead(got, read, 64);
            writes(pair.client, all, 117 * 64, 4);
            byte[] rest = readFully(pair.server, all.length - read);
            System.arraycopy(rest, 0, got, read, rest.length);
            assertArrayEquals(all, got);
            List<Integer> sent = sent(file);
            assertTrue(Collections.max(sent) > 64, sent::toString);
            assertEquals(
                    List.of(64, 64, 64),
                    sent.subList(sent.size() - 3, sent.size()),
                    sent::toString);
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    private static void writes(OffloadStream stream, byte[] all, int from, int count)
            throws IOException {
        for (int n = 0; n < count; n++) {
            assertEquals(64, stream.tryWrite(all, from + 64 * n, 64));
        }
    }

    @Test
    void buffersOfAllSizesKeepTheirOrder() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int buffers : new int[] {4, 32}) {
            try (TestFabric fabric = new TestFabric(buffers);
                    StreamPair pair = new StreamPair(fabric.provider())) {
                for (int i = 0; i < 100; i++) {
                    writeAndRead(pair, random, "seed " + seed);
                }
                pair.client.close(false);
                pair.server.close(false);
            }
        }
    }

    private static void writeAndRead(StreamPair pair, Random random, String seed)
            throws IOException {
        byte[] all = random(1 + random.nextInt(60_000));
        List<ByteBuffer> srcs = new ArrayList<>();
        for (int at = 0; at < all.length; ) {
            int n = random.nextInt(random.nextBoolean() ? 300 : 20_000);
            n = Math.min(n, all.length - at);
            ByteBuffer b =
                    random.nextBoolean() ? ByteBuffer.allocateDirect(n) : ByteBuffer.allocate(n);
            srcs.add(b.put(all, at, n).flip());
            at += n;
        }
        ByteBuffer[] several = srcs.toArray(ByteBuffer[]::new);
        int done = 0;
        byte[] got = new byte[0];
        while (done < all.length) {
            int n = pair.client.tryWrite(several, 0, several.length);
            int left = Arrays.stream(several).mapToInt(ByteBuffer::remaining).sum();
            done += n;
            assertEquals(all.length - done, left, seed);
            byte[] part = readFully(pair.server, n);
            got = Arrays.copyOf(got, done);
            System.arraycopy(part, 0, got, done - n, n);
        }
        assertArrayEquals(all, got, seed);
    }

    @Test
    void aBrokenStreamSaysSo() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = new StreamPair(fabric.provider())) {
            writeFully(pair.client, new byte[1]);
            pair.server.close(true);
            await().until(() -> (pair.client.ready() & OffloadStream.READ) != 0);
            ByteBuffer[] srcs = slices(new byte[512], 256);
            assertThrows(SocketException.class, () -> pair.client.tryWrite(srcs, 0, 2));
            pair.client.close(false);
        }
    }
}
