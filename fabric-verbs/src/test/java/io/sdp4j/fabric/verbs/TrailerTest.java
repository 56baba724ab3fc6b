package io.sdp4j.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: the trailer comes through, in front of it nothing moves, and strangers' data is theirs. */
class TrailerTest {
    @Test
    void comesThroughOnEveryTransport() {
        byte[] data = {1, 2, 3};
        byte[] field = new Trailer(16_400, 65_535).append(data, Trailer.REQUEST_BYTES);
        assertEquals(Trailer.REQUEST_BYTES, field.length);
        assertEquals(new Trailer(16_400, 65_535), Trailer.of(field, Trailer.REQUEST_BYTES));
        byte[] got = Trailer.data(field, Trailer.REQUEST_BYTES);
        assertArrayEquals(data, Arrays.copyOf(got, 3));
        byte[] longer = Arrays.copyOf(field, 200); // a field that is padded further
        assertEquals(new Trailer(16_400, 65_535), Trailer.of(longer, Trailer.REQUEST_BYTES));
    }

    @Test
    void nothingThatAPeerSendsIsBelievedUnchecked() {
        byte[] field = new Trailer(64, 1).append(new byte[0], Trailer.REPLY_BYTES);
        assertNull(Trailer.of(Arrays.copyOf(field, 100), Trailer.REPLY_BYTES));
        assertNull(Trailer.of(new byte[Trailer.REPLY_BYTES], Trailer.REPLY_BYTES));
        int at = Trailer.REPLY_BYTES - Trailer.BYTES;
        for (int size : new int[] {0, 63, (1 << 20) + 1, 0xFFFFFF}) {
            field[at + 1] = (byte) (size >> 16);
            field[at + 2] = (byte) (size >> 8);
            field[at + 3] = (byte) size;
            assertNull(Trailer.of(field, Trailer.REPLY_BYTES), "size " + size);
        }
        byte[] theirs = {9, 9};
        assertArrayEquals(theirs, Trailer.data(theirs, Trailer.REPLY_BYTES));
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            byte[] any = new byte[random.nextInt(256)];
            random.nextBytes(any);
            Trailer t = Trailer.of(any, Trailer.REQUEST_BYTES);
            assertEquals(true, t == null || t.receiveBytes() >= 64);
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new Trailer(64, 0).append(new byte[49], Trailer.REQUEST_BYTES));
    }
}
