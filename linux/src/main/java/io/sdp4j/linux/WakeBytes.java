package io.sdp4j.linux;

/**
 * Memory to receive wake-up bytes in, and the descriptors that a hostile peer may send with them:
 * those that there is no room for would be closed within the call, however long that takes.
 *
 * <p>One thread at a time.
 */
public final class WakeBytes implements AutoCloseable {
    /** Received at once; more than a peer of good will leaves unread. */
    static final int BYTES = 64;

    /** For as many descriptors as the kernel lets a message have, 253. */
    private static final int CONTROL_BYTES = 1032;

    private static final int DATA = UnixFd.CONTROL + CONTROL_BYTES;

    private final SyscallBuffer message =
            UnixFd.message(SyscallBuffer.shared(DATA + BYTES), BYTES, CONTROL_BYTES);

    public WakeBytes() {}

    /** The last of {@code count} bytes that were received. */
    public byte last(int count) {
        return message.getByte(DATA + count - 1);
    }

    /** The address of a message to receive at most {@code bytes} into. */
    long prepare(long bytes) {
        message.putLong(UnixFd.VECTOR + 8, bytes);
        message.putLong(UnixFd.HEADER_CONTROL + 8, CONTROL_BYTES);
        return message.address();
    }

    /** After something was received: whether descriptors came with it, which are closed. */
    boolean closeDescriptors() {
        boolean came = message.getLong(UnixFd.HEADER_CONTROL + 8) != 0;
        if (came) {
            boolean _ = UnixFd.takeDescriptors(message, UnixFd.NONE);
        }
        return came;
    }

    /** Gives the memory back; nothing may be called during it or afterwards. */
    @Override
    public void close() {
        message.close();
    }
}
