package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.JvmCommand;
import java.io.BufferedReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: both ways of access do the same with the same bytes, and neither leaves its memory. Method:
 * each is looked at through the address that the kernel would get.
 */
final class SyscallBufferTest {
    private static final int BYTES = 64;

    private static SyscallBuffer buffer(boolean plain) {
        assertTrue(NativeAccess.unsafeExported(), "else there is only one way");
        return plain ? SyscallBuffer.allocate(BYTES) : new SyscallBuffer(BYTES, Arena.ofConfined());
    }

    @SuppressWarnings("restricted")
    private static MemorySegment seenByTheKernel(SyscallBuffer b) {
        return MemorySegment.ofAddress(b.address()).reinterpret(BYTES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void words(boolean plain) {
        try (SyscallBuffer b = buffer(plain)) {
            MemorySegment seen = seenByTheKernel(b);
            assertEquals(-1, seen.mismatch(MemorySegment.ofArray(new byte[BYTES])), "zero");
            b.putByte(1, 0x81);
            b.putShort(2, 0x8123);
            b.putInt(4, 0x8123_4567);
            b.putLong(8, 0x8123_4567_89AB_CDEFL);
            b.putBigEndian(16, 0x8123);
            assertEquals((byte) 0x81, seen.get(ValueLayout.JAVA_BYTE, 1));
            assertEquals((short) 0x8123, seen.get(ValueLayout.JAVA_SHORT, 2));
            assertEquals(0x8123_4567, seen.get(ValueLayout.JAVA_INT, 4));
            assertEquals(0x8123_4567_89AB_CDEFL, seen.get(ValueLayout.JAVA_LONG, 8));
            assertEquals((byte) 0x81, seen.get(ValueLayout.JAVA_BYTE, 16));
            assertEquals((byte) 0x23, seen.get(ValueLayout.JAVA_BYTE, 17));
            assertEquals((byte) 0x81, b.getByte(1));
            assertEquals((short) 0x8123, b.getShort(2));
            assertEquals(0x8123_4567, b.getInt(4));
            assertEquals(0x8123_4567_89AB_CDEFL, b.getLong(8));
            assertEquals(0x8123, b.getBigEndian(16));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void arrays(boolean plain) {
        try (SyscallBuffer b = buffer(plain)) {
            b.copyIn(new byte[] {1, 2, 3, 4}, 1, BYTES - 2, 2);
            byte[] out = new byte[4];
            b.copyOut(BYTES - 3, out, 1, 3);
            assertArrayEquals(new byte[] {0, 0, 2, 3}, out);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingOutsideOfIt(boolean plain) {
        byte[] four = new byte[4];
        try (SyscallBuffer b = buffer(plain)) {
            assertOutside(() -> b.putLong(BYTES - 4, 1));
            assertOutside(() -> b.putInt(-4, 1));
            assertOutside(() -> b.putShort(BYTES, 1));
            assertOutside(() -> b.putByte(-1, 1));
            assertOutside(() -> b.getLong(BYTES));
            assertOutside(() -> b.getInt(BYTES));
            assertOutside(() -> b.getShort(-2));
            assertOutside(() -> b.getByte(BYTES));
            assertOutside(() -> b.copyIn(four, 0, BYTES - 3, 4));
            assertOutside(() -> b.copyIn(four, 1, 0, 4));
            assertOutside(() -> b.copyOut(BYTES - 3, four, 0, 4));
            assertOutside(() -> b.copyOut(0, four, 1, 4));
            assertOutside(() -> b.copyOut(0, four, 0, -1));
        }
    }

    private static void assertOutside(Runnable access) {
        assertThrows(IndexOutOfBoundsException.class, access::run);
    }

    @Test
    void textsEndWithZero() {
        byte[] encoded = "/tmp/u".getBytes(StandardCharsets.US_ASCII);
        try (SyscallBuffer b = SyscallBuffer.text("/tmp/u")) {
            byte[] out = new byte[encoded.length + 1];
            b.copyOut(0, out, 0, out.length);
            assertArrayEquals(java.util.Arrays.copyOf(encoded, out.length), out);
        }
    }

    /** Goal: the kernel gets the name that the JDK would give it, in each locale. */
    @ParameterizedTest
    @CsvSource({"UTF-8, 2", "ISO-8859-1, 1", "none, 2"})
    void aTextIsEncodedAsTheJdkEncodesNames(String encoding, String bytes) throws Exception {
        Process java =
                JvmCommand.of(Encoded.class, encoding)
                        .options("--enable-native-access=ALL-UNNAMED")
                        .classPath("target/classes:target/test-classes")
                        .small()
                        .builder()
                        .redirectErrorStream(true)
                        .start();
        try (BufferedReader out = java.inputReader()) {
            assertEquals(bytes, out.readLine());
        }
    }

    /**
     * Prints how many bytes a letter takes. Sets the property itself, as the JDK takes it from the
     * locale only.
     */
    static final class Encoded {
        private Encoded() {}

        public static void main(String[] args) {
            System.setProperty("sun.jnu.encoding", args[0]);
            try (SyscallBuffer b = SyscallBuffer.text("\u00fc")) {
                System.out.println(b.bytes - 1);
            }
        }
    }
}
