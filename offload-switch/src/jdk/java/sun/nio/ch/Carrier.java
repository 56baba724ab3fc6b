package sun.nio.ch;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Moves the bytes of a {@link ConnectionChannel}: the kernel's TCP, or another way in its place.
 * Every method does what the method of that name in {@code SocketChannelImpl} does. Thread-safe.
 */
public interface Carrier {
    int read(ByteBuffer dst) throws IOException;

    long read(ByteBuffer[] dsts, int offset, int length) throws IOException;

    int write(ByteBuffer src) throws IOException;

    long write(ByteBuffer[] srcs, int offset, int length) throws IOException;

    /**
     * For the adaptor: reads at least one byte.
     *
     * @param nanos upper bound; 0 = none
     */
    int blockingRead(byte[] b, int off, int len, long nanos) throws IOException;

    /** For the adaptor: writes all bytes. */
    void blockingWrite(byte[] b, int off, int len) throws IOException;

    /**
     * Sends a part of a file without mapping it.
     *
     * @return bytes sent; -1 = the caller must map or read the file and write it
     */
    long send(FileChannel file, long position, int count) throws IOException;

    /** Bytes that can be read without waiting. */
    int available() throws IOException;

    /** Sends a byte of urgent data. Returns 0 if there is no room, else 1. */
    int sendUrgent(byte b) throws IOException;

    void shutdownInput() throws IOException;

    void shutdownOutput() throws IOException;

    /**
     * Called when the carrier before this one has given back a lock, which belongs to this one now.
     */
    default void earlyLockGivenBack() {}

    /**
     * Called by the holder of the write lock when a write of the carrier before this one has failed
     * and a part of it may have gone.
     */
    default void sentUncounted() {}

    /**
     * Called when a read of the carrier before this one has met {@code e} in TCP and goes on here.
     */
    default void goesOnAfter(SocketException e) {}

    boolean isInputShut();

    boolean isOutputShut();
}
