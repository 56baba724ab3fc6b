package io.sdp4j.linux;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NonTemporalTest {
    private static final int MOST = 4096;

    @BeforeAll
    static void bind() {
        if (canBe()) {
            await().until(NonTemporal::available);
        }
    }

    private static boolean canBe() {
        try {
            String overcommit = Files.readString(Path.of("/proc/sys/vm/overcommit_memory"));
            return NativeAccess.granted()
                    && System.getProperty("os.arch").equals("amd64")
                    && !overcommit.startsWith("2");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyLengthAndPlaceArrivesAndNothingElseChanges() {
        long seed = Long.getLong("sdp4j.test.seed", System.nanoTime());
        Random random = new Random(seed);
        byte[] heap = new byte[MOST];
        try (Arena arena = Arena.ofConfined()) {
            ByteBuffer direct = ByteBuffer.allocateDirect(MOST);
            MemorySegment to = arena.allocate(MOST, 64);
            for (int i = 0; i < 20_000; i++) {
                random.nextBytes(heap);
                direct.clear().put(heap);
                to.fill((byte) i);
                int len = random.nextInt(i % 2 == 0 ? 600 : MOST + 1);
                int fromAt = random.nextInt(MOST - len + 1);
                int toAt = random.nextInt(MOST - len + 1);
                byte[] expected = new byte[MOST];
                Arrays.fill(expected, (byte) i);
                System.arraycopy(heap, fromAt, expected, toAt, len);
                ByteBuffer buffer = random.nextBoolean() ? direct : ByteBuffer.wrap(heap);
                buffer.limit(fromAt + len + random.nextInt(MOST - fromAt - len + 1));
                buffer.position(random.nextInt(fromAt + 1));
                if (random.nextBoolean()) {
                    NonTemporal.copy(heap, fromAt, to, toAt, len);
                } else {
                    NonTemporal.copy(buffer, fromAt, to, toAt, len);
                }

                assertArrayEquals(
                        expected, to.toArray(ValueLayout.JAVA_BYTE), "seed " + seed + ", " + i);
            }
        }
    }

    @Test
    void nothingOutsideIsTouched() {
        try (Arena arena = Arena.ofConfined()) {
            ByteBuffer from = ByteBuffer.wrap(new byte[3072], 1024, 1024);
            MemorySegment to = arena.allocate(1024);
            Class<IndexOutOfBoundsException> outside = IndexOutOfBoundsException.class;
            assertThrows(outside, () -> NonTemporal.copy(from, 1024, to, 1, 1024));
            assertThrows(outside, () -> NonTemporal.copy(from, 1025, to, 0, 1024));
            assertThrows(outside, () -> NonTemporal.copy(from, 1023, to, 0, 512));
            assertThrows(outside, () -> NonTemporal.copy(from, 1024, to, -1, 512));
            assertThrows(outside, () -> NonTemporal.copy(from, 1024, to, 0, Integer.MAX_VALUE));
            assertThrows(outside, () -> NonTemporal.copy(from, 1024, to, 0, -1));
        }
    }

    @Test
    void nothingOutsideOfAnArrayIsTouched() {
        try (Arena arena = Arena.ofConfined()) {
            byte[] from = new byte[1024];
            MemorySegment to = arena.allocate(1024);
            Class<IndexOutOfBoundsException> outside = IndexOutOfBoundsException.class;
            assertThrows(outside, () -> NonTemporal.copy(from, 0, to, 1, 1024));
            assertThrows(outside, () -> NonTemporal.copy(from, 1, to, 0, 1024));
            assertThrows(outside, () -> NonTemporal.copy(from, -1, to, 0, 512));
            assertThrows(outside, () -> NonTemporal.copy(from, 0, to, -1, 512));
            assertThrows(outside, () -> NonTemporal.copy(from, 0, to, 0, Integer.MAX_VALUE));
            assertThrows(outside, () -> NonTemporal.copy(from, 0, to, 0, -1));
        }
    }

    @Test
    void closedMemoryIsRefused() {
        ByteBuffer from = ByteBuffer.wrap(new byte[1024]);
        Arena arena = Arena.ofShared();
        MemorySegment to = arena.allocate(1024);
        arena.close();
        assertThrows(IllegalStateException.class, () -> NonTemporal.copy(from, 0, to, 0, 1024));
    }

    /**
     * Goal: a mapped file that was cut off is an error of this copy, and not the end of the JVM.
     */
    @Test
    void aFileThatIsCutOffIsAnError(@TempDir Path folder) throws IOException {
        ByteBuffer mapped;
        ByteBuffer segment;
        try (FileChannel file =
                FileChannel.open(
                        folder.resolve("f"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            mapped = file.map(MapMode.READ_WRITE, 0, 1 << 16);
            segment = file.map(MapMode.READ_WRITE, 0, 1 << 16, Arena.ofAuto()).asByteBuffer();
            file.truncate(0);
        }
        MemorySegment to = Arena.ofAuto().allocate(1 << 16, 64);
        for (ByteBuffer from :
                List.of(
                        mapped,
                        mapped.duplicate(),
                        mapped.slice(),
                        mapped.asReadOnlyBuffer(),
                        segment,
                        segment.slice(1, 1 << 15))) {
            int n = from.remaining();
            assertThrows(InternalError.class, () -> NonTemporal.copy(from, 0, to, 0, n));
        }
    }

    @Test
    void isThereWhereItCanBe() {
        assertEquals(canBe(), NonTemporal.available());
        assertTrue(NativeAccess.granted(), "the tests are given native access");
    }

    /** Goal: what the JDK's linker needs is never loaded by a thread that copies. */
    @Test
    void isMadeByAThreadOfOurOwn(@TempDir Path folder) throws Exception {
        Path output = folder.resolve("output");
        ProcessBuilder java =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xss256k",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        "target/classes" + File.pathSeparator + "target/test-classes",
                        DeepCopies.class.getName());
        Process process = java.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(50, TimeUnit.SECONDS), "it hangs");
            assertEquals(0, process.exitValue(), Files.readString(output));
        } finally {
            process.destroyForcibly();
        }
    }

    /** Copies at each depth of a stack, up to its end, and once more when that is free again. */
    static final class DeepCopies {
        private static final byte[] FROM = new byte[1 << 12];
        private static final MemorySegment TO = Arena.global().allocate(1 << 12);

        private DeepCopies() {}

        public static void main(String[] args) {
            // as at the set-up of a connection
            Linux.effectiveUid();
            NonTemporal.possible();
            NonTemporal.copy(FROM, 0, TO, 0, 1);
            try {
                deeper(0);
            } catch (StackOverflowError e) {
                // as it must be
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (!NonTemporal.available() && System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            NonTemporal.copy(FROM, 0, TO, 0, FROM.length);
            System.exit(NonTemporal.available() == canBe() ? 0 : 2);
        }

        private static void deeper(int depth) {
            try {
                if (depth < Integer.MAX_VALUE) {
                    deeper(depth + 1);
                }
            } finally {
                NonTemporal.copy(FROM, 0, TO, 0, FROM.length);
            }
        }
    }
}
