package sun.nio.ch;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * The way of the bytes of a {@link ConnectionChannel}: the kernel's, or another in its place.
 * Every method is as {@code SocketChannelImpl} has it under that name. Thread-safe.
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

    /** For the adaptor: writes all of it. */
    void blockingWrite(byte[] b, int off, int len) throws IOException;

    /**
     * Sends a part of a file without mapping it.
     *
     * @return bytes sent; -1 = it is to be written
     */
    long send(FileChannel file, long position, int count) throws IOException;

    /** Bytes that can be read without waiting. */
    int available() throws IOException;

    /** Sends a byte of urgent data; 0 = no room. */
    int sendUrgent(byte b) throws IOException;

    void shutdownInput() throws IOException;

    void shutdownOutput() throws IOException;

    /** The carrier before this one has given a lock back that is this one's now. */
    default void lockGivenBack() {}

    /** A read of the carrier before this one has met {@code e} in TCP, and goes on here. */
    default void goesOnAfter(SocketException e) {}

    boolean isInputShut();

    boolean isOutputShut();
}
