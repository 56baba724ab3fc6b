package io.sdp4j.linux;

/**
 * Memory for receiving wake-up bytes, and the descriptors that a hostile peer may send with them.
 * Without room for the descriptors the kernel would close them within the call, however long that
 * takes.
 *
 * <p>One thread at a time.
 */
public final class WakeBytes implements AutoCloseable {
    /** Most bytes received at once; more than a well-behaved peer leaves unread. */
    static final int BYTES = 64;

    /** Room for 253 descriptors, the kernel's limit for a message. */
    private static final int CONTROL_BYTES = 1032;

    private static final int DATA = UnixFd.CONTROL + CONTROL_BYTES;

    private final SyscallBuffer message =
            UnixFd.message(SyscallBuffer.shared(DATA + BYTES), BYTES, CONTROL_BYTES);

    public WakeBytes() {}

    /** Returns the last of {@code count} bytes that were received. */
    public byte last(int count) {
        return message.getByte(DATA + count - 1);
    }

    /** Prepares a message to receive at most {@code bytes}; returns its address. */
    long prepare(long bytes) {
        message.putLong(UnixFd.VECTOR + 8, bytes);
        message.putLong(UnixFd.HEADER_CONTROL + 8, CONTROL_BYTES);
        return message.address();
    }

    /**
     * Closes the descriptors that came with the bytes just received. Returns whether there were
     * any.
     */
    boolean closeDescriptors() {
        boolean came = message.getLong(UnixFd.HEADER_CONTROL + 8) != 0;
        if (came) {
            boolean _ = UnixFd.takeDescriptors(message, UnixFd.NONE);
        }
        return came;
    }

    /** Frees the memory. No other call may run at the same time or afterwards. */
    @Override
    public void close() {
        message.close();
    }
}
