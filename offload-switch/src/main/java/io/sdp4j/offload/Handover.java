package io.sdp4j.offload;

import io.sdp4j.offload.spi.OffloadStream;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells where each direction of a connection runs that moves from kernel TCP onto a stream.
 *
 * <p>The writing end stops at some byte of TCP and begins the stream with the number of bytes that
 * it has sent by TCP until then, its <em>limit</em>: 8 bytes, big-endian. The reading end takes
 * that many bytes from TCP, then reads the stream. The directions are independent of each other,
 * and nothing is added to the bytes that go by TCP.
 *
 * <p>Pure: no I/O, no clock, no thread. Thread-safety: the holder of the write lock calls the
 * methods for sending, the holder of the read lock those for receiving; the limit may come on any
 * one thread at any time. After {@link #limit} has returned, either {@link #finished} tells that
 * thread that all bytes of TCP have been taken, or the reader's next {@link #room} knows the limit.
 */
public final class Handover {
    /** Bytes of a limit. */
    static final int LIMIT_BYTES = OffloadStream.MOST_BEGIN_BYTES;

    private static final long UNKNOWN = -1;

    private final AtomicLong sent; // bytes by TCP until now; set by the writer
    private final AtomicLong received; // bytes by TCP until now; set by the reader
    private boolean stays; // writer: the output ends on TCP
    private volatile boolean outMoved; // set by the writer
    private volatile boolean inMoved; // set by the reader
    private volatile long limit = UNKNOWN;

    Handover(AtomicLong sent, AtomicLong received) {
        this.sent = sent;
        this.received = received;
    }

    /** Counts {@code n} bytes that the writer has sent by TCP. */
    void sent(long n) {
        sent.setPlain(sent.getPlain() + n); // no other thread sets it
    }

    long sentBytes() {
        return sent.getPlain();
    }

    /**
     * Keeps the output on TCP until its end: the writer has sent bytes that are not counted, or
     * ends the output.
     */
    void stay() {
        stays = true;
    }

    /** Whether the output may still move. */
    boolean mayMove() {
        return !stays && !outMoved;
    }

    /** The limit of this end, which the writer sends as the first bytes of the stream. */
    byte[] limitToTell() {
        return ByteBuffer.allocate(LIMIT_BYTES).putLong(0, sent.getPlain()).array();
    }

    /** Notes that the writer has begun the stream with {@link #limitToTell}. */
    void moveOut() {
        outMoved = true;
    }

    /** Whether output goes by the stream. Any thread. */
    public boolean outMoved() {
        return outMoved;
    }

    /** Counts {@code n} bytes that the reader has taken from TCP. */
    void received(long n) {
        received.set(received.getPlain() + n); // no other thread sets it
    }

    long receivedBytes() {
        return received.get();
    }

    /** Bytes of both directions by TCP. */
    long carried() {
        return sentBytes() + receivedBytes();
    }

    /**
     * Takes the peer's limit; false if it is wrong, because more bytes have come by TCP already.
     */
    boolean limit(byte[] told) {
        long bytes = ByteBuffer.wrap(told).getLong(0);
        if (bytes < received.get()) {
            return false;
        }
        limit = bytes;
        return true;
    }

    /** Whether the limit has come. Any thread. */
    public boolean limitKnown() {
        return limit != UNKNOWN;
    }

    /** Whether everything has come that comes by TCP. Any thread. */
    public boolean finished() {
        return limit == received.get();
    }

    /** The number of bytes that are still to come by TCP; -1 = not known. Any thread. */
    public long left() {
        long most = limit;
        return most == UNKNOWN ? UNKNOWN : most - received.get();
    }

    /**
     * Returns how many of {@code wanted} bytes the reader may take from TCP; 0 = no more come by
     * TCP, and from now on the reader reads the stream.
     *
     * @throws SocketException if more bytes have come by TCP than the limit says
     */
    public int room(int wanted) throws SocketException {
        long most = limit;
        if (most == UNKNOWN) {
            return wanted;
        }
        long left = most - received.get();
        if (left < 0) {
            throw new SocketException("Connection reset");
        }
        if (left == 0) {
            inMoved = true;
        }
        return (int) Math.min(wanted, left);
    }

    /** Moves the input to the stream now; bytes that were not taken from TCP are dropped. */
    public void moveIn() {
        inMoved = true;
    }

    /** Whether input comes from the stream. Any thread. */
    public boolean inMoved() {
        return inMoved;
    }
}
