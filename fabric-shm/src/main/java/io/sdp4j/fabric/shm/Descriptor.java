package io.sdp4j.fabric.shm;

/**
 * One 8-byte entry of a descriptor ring: everything about a message that is not in its slot.
 *
 * <p>Shape: bit 63 phase, 56 to 59 kind, 32 to 47 index of slot or chunk, 0 to 31 length or status.
 * The phase is 1 on the first lap over the ring and changes with every lap. So an entry is new
 * exactly if its phase is that of the reader's position, and the sides share no head or tail.
 */
final class Descriptor {
    static final int SEND = 1;
    static final int WRITE = 2;
    static final int READ_REQUEST = 3;
    static final int READ_RESPONSE = 4;
    static final int DISCONNECT = 5;
    static final int DISCONNECT_REPLY = 6;
    static final int NAK = 7;

    private Descriptor() {}

    static long of(int kind, int index, int low) {
        return (long) kind << 56 | (long) index << 32 | Integer.toUnsignedLong(low);
    }
}
