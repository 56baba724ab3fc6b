package io.sdp4j.offload.contract.nio;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.contract.Task.Kind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reading and writing through buffers of every kind. */
interface TransferContract extends NioChannels {
    /** Where the bytes of a buffer are. */
    enum Memory {
        HEAP {
            @Override
            ByteBuffer of(int capacity) {
                return ByteBuffer.allocate(capacity);
            }
        },
        DIRECT {
            @Override
            ByteBuffer of(int capacity) {
                return ByteBuffer.allocateDirect(capacity);
            }
        },
        HEAP_SLICE {
            @Override
            ByteBuffer of(int capacity) {
                return ByteBuffer.allocate(capacity + 9).slice(5, capacity);
            }
        },
        DIRECT_SLICE {
            @Override
            ByteBuffer of(int capacity) {
                return ByteBuffer.allocateDirect(capacity + 9).slice(3, capacity);
            }
        },
        ARENA {
            @Override
            ByteBuffer of(int capacity) {
                return Arena.ofAuto().allocate(capacity).asByteBuffer();
            }
        };

        abstract ByteBuffer of(int capacity);

        ByteBuffer with(String text) {
            return of(text.length()).put(text.getBytes(ISO_8859_1)).flip();
        }
    }

    private static String taken(ByteBuffer b) {
        return ISO_8859_1.decode(b.flip()).toString();
    }

    @ParameterizedTest
    @EnumSource(Memory.class)
    @DisplayName("44: positions move by exactly what was transferred")
    default void positionsAreExact(Memory memory) throws IOException {
        try (var p = pair()) {
            ByteBuffer out = memory.with("..12345..");
            out.position(2).limit(7);
            assertEquals(5, p.client().write(out));
            assertEquals(7, out.position());
            assertEquals(7, out.limit());
            assertEquals(0, p.client().write(out));
            ByteBuffer in = memory.of(12);
            in.position(3).limit(6);
            Nio.readFully(p.server(), in);
            assertEquals(6, in.position());
            assertEquals(6, in.limit());
            in.limit(12);
            assertEquals(2, p.server().read(in));
            assertEquals(8, in.position());
            assertEquals("12345", taken(in).substring(3));
            Nio.send(p.client(), "x");
            ByteBuffer readOnly = memory.of(4).asReadOnlyBuffer();
            assertThrows(IllegalArgumentException.class, () -> p.server().read(readOnly));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> p.server().read(new ByteBuffer[] {memory.of(4), readOnly}));
            assertEquals("x", Nio.receive(p.server(), 1));
            assertEquals(3, p.client().write(memory.with("abc").asReadOnlyBuffer()));
            assertEquals("abc", Nio.receive(p.server(), 3));
        }
    }

    @ParameterizedTest
    @EnumSource(Memory.class)
    @DisplayName("44: gathering with offsets, empty, read-only and duplicated buffers")
    default void gathers(Memory memory) throws IOException {
        try (var p = pair()) {
            ByteBuffer whole = memory.with("abcdef");
            ByteBuffer[] out = {
                memory.with("never"),
                memory.with("12"),
                memory.of(0),
                whole.duplicate().limit(3),
                whole.asReadOnlyBuffer().position(3),
                memory.with("never")
            };
            assertEquals(8, p.client().write(out, 1, 4));
            assertEquals("12abcdef", Nio.receive(p.server(), 8));
            assertEquals(5, out[0].remaining());
            assertEquals(0, out[1].remaining());
            assertEquals(0, out[3].remaining());
            assertEquals(0, out[4].remaining());
            assertEquals(5, out[5].remaining());
            assertEquals(0, whole.position());
            assertEquals(0, p.client().write(out, 1, 4));
            assertEquals(0, p.client().write(out, 2, 0));
            assertEquals(0, p.client().write(new ByteBuffer[0]));
            assertThrows(IndexOutOfBoundsException.class, () -> p.client().write(out, 1, 6));
            assertThrows(IndexOutOfBoundsException.class, () -> p.client().write(out, -1, 2));
            assertThrows(
                    NullPointerException.class, () -> p.client().write((ByteBuffer[]) null, 0, 1));
            assertThrows(NullPointerException.class, () -> p.client().write((ByteBuffer) null));
        }
    }

    @ParameterizedTest
    @EnumSource(Memory.class)
    @DisplayName("44: scattering fills one buffer after the other")
    default void scatters(Memory memory) throws IOException {
        try (var p = pair()) {
            Nio.send(p.client(), "1234567");
            Nio.await().until(() -> p.server().socket().getInputStream().available() == 7);
            ByteBuffer[] in = {
                memory.of(9), memory.of(2), memory.of(0), memory.of(4), memory.of(9)
            };
            in[3].position(1);
            assertEquals(7, p.server().read(in, 1, 4));
            assertEquals(0, in[0].position());
            assertEquals("12", taken(in[1]));
            assertEquals("345", taken(in[3]).substring(1));
            assertEquals("67", taken(in[4]));
            assertThrows(IndexOutOfBoundsException.class, () -> p.server().read(in, 4, 2));
            ByteBuffer[] full = {memory.of(0), memory.of(0)};
            assertEquals(0, p.server().read(full));
            p.client().shutdownOutput();
            Nio.await().until(() -> p.server().read(new ByteBuffer[] {memory.of(3)}) == -1);
        }
    }

    @Test
    @DisplayName("43, 44: scattering has the last byte before the end of the stream")
    default void scattersTheLastByte() throws Exception {
        for (int last = 1; last <= 3; last++) {
            try (var p = pair()) {
                Nio.send(p.server(), "xyz".substring(3 - last));
                p.server().shutdownOutput();
                ByteBuffer[] in = {ByteBuffer.allocate(last), ByteBuffer.allocate(4)};
                assertEquals(last, p.client().read(in));
                assertEquals("xyz".substring(3 - last), taken(in[0]));
                assertEquals(-1, p.client().read(in));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Memory.class)
    @DisplayName("44: a buffer that occurs twice is written twice")
    default void gathersAgain(Memory memory) throws IOException {
        try (var p = pair()) {
            ByteBuffer twice = memory.with("..12").position(2);
            ByteBuffer[] out = {
                memory.with("head"), twice, twice, memory.of(0), memory.with("tail"), twice
            };
            assertEquals(14, p.client().write(out));
            assertEquals("head1212tail12", Nio.receive(p.server(), 14));
            assertEquals(4, twice.position());
            assertEquals(0, p.client().write(out));
            ByteBuffer[] many = new ByteBuffer[100];
            for (int i = 0; i < 100; i++) {
                many[i] = i % 2 == 0 ? twice : memory.with("-");
            }
            twice.position(3);
            assertEquals(100, p.client().write(many));
            assertEquals("2-".repeat(50), Nio.receive(p.server(), 100));
        }
    }

    /** Goal: with nothing to read such a read does not wait, and no buffer before it is used. */
    @Test
    @DisplayName("44: a buffer of a closed arena, or of another thread's, is refused at once")
    default void badArenasAreRefused() throws Exception {
        try (var p = pair();
                Arena ofThisThread = Arena.ofConfined()) {
            Arena closed = Arena.ofShared();
            ByteBuffer late = closed.allocate(4).asByteBuffer();
            closed.close();
            ByteBuffer foreign = ofThisThread.allocate(4).asByteBuffer();
            for (boolean blocking : new boolean[] {true, false}) {
                p.client().configureBlocking(blocking);
                for (Kind kind : Kind.values()) {
                    assertEquals(
                            0, Task.start(kind, () -> refused(p.client(), late, foreign)).get());
                }
            }
            assertEquals(4, p.client().write(foreign));
            Nio.send(p.server(), "left");
            assertEquals("left", Nio.receive(p.client(), 4));
            assertEquals("\0\0\0\0", Nio.receive(p.server(), 4));
        }
    }

    /** Bytes that the buffer before the bad one has moved. */
    private static int refused(SocketChannel c, ByteBuffer late, ByteBuffer foreign) {
        ByteBuffer good = ByteBuffer.allocate(3);
        ByteBuffer[] all = {late, foreign};
        List<Class<? extends Throwable>> types =
                List.of(IllegalStateException.class, WrongThreadException.class);
        for (int i = 0; i < all.length; i++) {
            ByteBuffer bad = all[i];
            Class<? extends Throwable> type = types.get(i);
            ByteBuffer[] both = {good, bad};
            assertThrows(type, () -> c.read(bad));
            assertThrows(type, () -> c.read(both));
            assertThrows(type, () -> c.write(bad));
            assertThrows(type, () -> c.write(both));
        }
        return good.position();
    }

    /** For platform threads only: the JDK lets it be closed while a virtual thread is parked. */
    @Test
    @DisplayName("44: an arena is not closed while a thread waits with a buffer of it")
    default void arenasInUseStayOpen() throws Exception {
        try (var p = pair()) {
            for (boolean scatters : new boolean[] {false, true}) {
                Arena arena = Arena.ofShared();
                ByteBuffer in = arena.allocate(4).asByteBuffer();
                ByteBuffer[] both = {ByteBuffer.allocate(1), in};
                Task<Long> reader =
                        Task.start(() -> scatters ? p.client().read(both) : p.client().read(in));
                reader.awaitBlocked();
                assertThrows(IllegalStateException.class, arena::close);
                Nio.send(p.server(), "x");
                assertEquals(1, reader.get());
                arena.close();
            }
        }
    }

    /** Goal: more buffers than a system call takes are no error. */
    @Test
    default void gathersAndScattersThousands() throws IOException {
        int count = 3000;
        byte[] sent = Expect.bytes(count * 3, 11);
        try (var p = polledPair()) {
            ByteBuffer[] out = new ByteBuffer[count];
            ByteBuffer[] in = new ByteBuffer[count];
            for (int i = 0; i < count; i++) {
                out[i] = ByteBuffer.wrap(sent, i * 3, 3);
                in[i] = i % 2 == 0 ? ByteBuffer.allocate(3) : ByteBuffer.allocateDirect(3);
            }
            Nio.await().until(() -> gather(p.client(), out));
            Nio.await().until(() -> scatter(p.server(), in));
            ByteBuffer got = ByteBuffer.allocate(sent.length);
            for (ByteBuffer b : in) {
                got.put(b.flip());
            }
            assertArrayEquals(sent, got.array());
        }
    }

    private static boolean gather(SocketChannel c, ByteBuffer[] all) throws IOException {
        int first = firstOf(all);
        c.write(all, first, all.length - first);
        return !all[all.length - 1].hasRemaining();
    }

    private static boolean scatter(SocketChannel c, ByteBuffer[] all) throws IOException {
        int first = firstOf(all);
        c.read(all, first, all.length - first);
        return !all[all.length - 1].hasRemaining();
    }

    private static int firstOf(ByteBuffer[] all) {
        int first = 0;
        while (first < all.length - 1 && !all[first].hasRemaining()) {
            first++;
        }
        return first;
    }

    @Test
    @DisplayName("43: 0 when there is nothing, -1 at the end, 0 for a full buffer even then")
    default void resultsOfReading() throws Exception {
        try (var p = polledPair()) {
            ByteBuffer b = ByteBuffer.allocate(4);
            ByteBuffer full = ByteBuffer.allocate(0);
            assertEquals(0, p.client().read(b));
            assertEquals(0, p.client().read(new ByteBuffer[] {b}));
            assertEquals(0, p.client().read(full));
            Nio.send(p.server(), "abc");
            p.server().shutdownOutput();
            assertEquals(3, Nio.awaitRead(p.client(), b));
            assertEquals(0, p.client().read(full));
            assertEquals(-1, Nio.awaitRead(p.client(), b));
            assertEquals(-1, p.client().read(b));
            assertEquals(-1, p.client().read(new ByteBuffer[] {full, b}));
            assertEquals(0, p.client().read(full));
            p.client().configureBlocking(true);
            assertEquals(-1, p.client().read(b));
            assertEquals(0, p.client().read(full));
        }
    }

    @Test
    @DisplayName("43, 48: a write that finds no room returns 0, and goes on when there is some")
    default void resultsOfWriting() throws Exception {
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, SelectionKey.OP_WRITE);
            Nio.awaitReady(selector, key, SelectionKey.OP_WRITE);
            long filled = Nio.fill(p.client());
            assertTrue(filled > 0);
            assertEquals(0, p.client().write(ByteBuffer.allocate(1)));
            assertEquals(0, p.client().write(new ByteBuffer[] {ByteBuffer.allocate(100_000)}));
            assertEquals(0, Nio.readyNow(selector, key));
            Nio.drain(p.server(), filled);
            Nio.awaitReady(selector, key, SelectionKey.OP_WRITE);
            assertEquals(1, p.client().write(ByteBuffer.allocate(1)));
            Nio.drain(p.server(), 1);
            assertEquals(0, p.server().read(ByteBuffer.allocate(1)));
        }
    }

    @ParameterizedTest
    @EnumSource(Memory.class)
    @DisplayName("26: one large blocking write takes all and arrives intact")
    default void largeBlockingWrite(Memory memory) throws Exception {
        byte[] sent = Expect.bytes(8 << 20, 3);
        try (var p = pair()) {
            Task<Integer> writer =
                    Task.start(() -> p.client().write(memory.of(sent.length).put(sent).flip()));
            ByteBuffer got = ByteBuffer.allocate(sent.length);
            Nio.readFully(p.server(), got);
            assertEquals(sent.length, writer.get());
            assertArrayEquals(sent, got.array());
        }
    }

    /** Goal: both directions at once, in pieces of every size, through one selector. */
    @Test
    default void streamsBothWaysThroughOneSelector() throws Exception {
        int length = 6 << 20;
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            List<Flow> flows = new ArrayList<>();
            for (SocketChannel c : new SocketChannel[] {p.client(), p.server()}) {
                Flow flow = new Flow(length, flows.size());
                flows.add(flow);
                c.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE, flow);
            }
            while (flows.stream().anyMatch(f -> !f.over())) {
                long start = System.nanoTime();
                int ready = selector.select(20_000);
                // a change of descriptors may end a select early with nothing
                long waited = System.nanoTime() - start;
                assertTrue(ready > 0 || waited < TimeUnit.SECONDS.toNanos(15), "nothing for 20 s");
                for (SelectionKey key : selector.selectedKeys()) {
                    ((Flow) key.attachment()).move(key);
                }
                selector.selectedKeys().clear();
            }
            assertArrayEquals(flows.get(0).sent, flows.get(1).got.array());
            assertArrayEquals(flows.get(1).sent, flows.get(0).got.array());
        }
    }

    /** Bytes that one end sends and gets. */
    final class Flow {
        private final Random random;
        private final byte[] sent;
        private final ByteBuffer got;
        private int at;

        Flow(int length, long seed) {
            random = new Random(seed);
            sent = Expect.bytes(length, seed);
            got = ByteBuffer.allocate(length);
        }

        boolean over() {
            return at == sent.length && !got.hasRemaining();
        }

        void move(SelectionKey key) throws IOException {
            SocketChannel c = (SocketChannel) key.channel();
            if (key.isReadable()) {
                int n = Math.min(got.remaining(), 1 + random.nextInt(200_000));
                got.limit(got.position() + n);
                c.read(got);
                got.limit(got.capacity());
            }
            if (key.isWritable()) {
                int n = Math.min(sent.length - at, 1 + random.nextInt(200_000));
                ByteBuffer b = ByteBuffer.wrap(sent, at, n);
                if (random.nextBoolean()) {
                    b = ByteBuffer.allocateDirect(n).put(b).flip();
                }
                at += c.write(b);
            }
            key.interestOps(
                    (got.hasRemaining() ? SelectionKey.OP_READ : 0)
                            | (at < sent.length ? SelectionKey.OP_WRITE : 0));
        }
    }

    /** For platform threads only: the JDK lets a virtual thread's blocking write be partial. */
    @Test
    @DisplayName("26: two blocking writers never mix inside one call")
    default void writersDoNotMix() throws Exception {
        int length = 200_000;
        try (var p = pair()) {
            List<Task<Void>> writers = new ArrayList<>();
            for (byte fill = 'a'; fill <= 'b'; fill++) {
                byte[] block = new byte[length];
                java.util.Arrays.fill(block, fill);
                writers.add(
                        Task.start(
                                () -> {
                                    for (int i = 0; i < 20; i++) {
                                        p.client().write(ByteBuffer.wrap(block));
                                    }
                                    return null;
                                }));
            }
            ByteBuffer block = ByteBuffer.allocate(length);
            for (int i = 0; i < 40; i++) {
                Nio.readFully(p.server(), block.clear());
                for (byte b : block.array()) {
                    assertTrue(b == block.get(0), "block " + i + " is mixed");
                }
            }
            for (Task<Void> writer : writers) {
                writer.get();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("27: a blocked reader does not hold a writer up, nor the other way round")
    default void readersAndWritersAreIndependent(Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Integer> reader = Task.start(kind, () -> p.client().read(ByteBuffer.allocate(5)));
            reader.awaitBlocked();
            Nio.send(p.client(), "x");
            assertEquals("x", Nio.receive(p.server(), 1));
            assertFalse(reader.done());
            Task<Void> writer = Nio.fillBlocking(kind, p.client());
            Nio.send(p.server(), "hello");
            assertEquals(5, reader.get());
            assertFalse(writer.done());
        }
    }

    /** Goal: a mapped file is written as it is (behaviour 57 relies on it). */
    @Test
    default void mappedBuffers() throws Exception {
        byte[] content = Expect.bytes(300_000, 5);
        Path file = Files.write(Files.createTempFile("mapped", ".bin"), content);
        try (var p = pair();
                FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
            MappedByteBuffer mapped = from.map(MapMode.READ_ONLY, 0, content.length);
            Task<Integer> writer = Task.start(() -> p.client().write(mapped));
            ByteBuffer got = ByteBuffer.allocate(content.length);
            Nio.readFully(p.server(), got);
            assertEquals(content.length, writer.get());
            assertArrayEquals(content, got.array());
        } finally {
            Files.delete(file);
        }
    }
}
