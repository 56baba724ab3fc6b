package io.sdp4j.fabric.verbs;

import java.util.Arrays;

/**
 * The last eight bytes of our private data, which tell what the fabric itself must know of the
 * other side: the application's private data lies in front, where the protocol expects it.
 *
 * <p>Shape: private data is always sent in the full size of its field on InfiniBand, so that the
 * trailer has the same place on every transport. A peer that knows nothing of it sends zeros or
 * fewer bytes there.
 *
 * <p>A sender of a trailer marks the last message of each burst with a solicited event; version 1
 * did not.
 *
 * {@snippet lang = text :
 *  offset  0     1             4      6         7
 *        | 0x5D | receiveBytes | port | version | 0 |
 * }
 *
 * @param receiveBytes size of each receive buffer of the sender
 * @param port of the sender as TCP would show it; 0 in an answer
 */
record Trailer(int receiveBytes, int port) {
    static final int BYTES = 8;

    /** Private data of a request that fits all transports: 92 bytes less the 36 of the kernel. */
    static final int REQUEST_BYTES = 56;

    /** Private data of an answer that accepts; a refusal has 148. */
    static final int REPLY_BYTES = 196;

    static final int REFUSAL_BYTES = 148;

    private static final int MAGIC = 0x5D;
    private static final int VERSION = 2;
    private static final int MIN_RECEIVE_BYTES = 64;
    private static final int MAX_RECEIVE_BYTES = 1 << 20;

    /** Returns {@code data} and the trailer in a field of {@code fieldBytes}. */
    byte[] append(byte[] data, int fieldBytes) {
        int at = fieldBytes - BYTES;
        if (data.length > at) {
            throw new IllegalArgumentException("private data of " + data.length + " bytes");
        }
        byte[] field = Arrays.copyOf(data, fieldBytes);
        field[at] = MAGIC;
        field[at + 1] = (byte) (receiveBytes >> 16);
        field[at + 2] = (byte) (receiveBytes >> 8);
        field[at + 3] = (byte) receiveBytes;
        field[at + 4] = (byte) (port >> 8);
        field[at + 5] = (byte) port;
        field[at + 6] = VERSION;
        return field;
    }

    /**
     * Returns the trailer of a received field, or null if it is not one of ours or is malformed.
     */
    static Trailer of(byte[] field, int fieldBytes) {
        int at = fieldBytes - BYTES;
        if (field.length < fieldBytes || field[at] != MAGIC || field[at + 6] != VERSION) {
            return null;
        }
        int receive =
                ((field[at + 1] & 0xFF) << 16)
                        | ((field[at + 2] & 0xFF) << 8)
                        | (field[at + 3] & 0xFF);
        if (receive < MIN_RECEIVE_BYTES || receive > MAX_RECEIVE_BYTES) {
            return null;
        }
        return new Trailer(receive, ((field[at + 4] & 0xFF) << 8) | (field[at + 5] & 0xFF));
    }

    /** Returns the application's part of a field. */
    static byte[] data(byte[] field, int fieldBytes) {
        return of(field, fieldBytes) == null ? field : Arrays.copyOf(field, fieldBytes - BYTES);
    }
}
