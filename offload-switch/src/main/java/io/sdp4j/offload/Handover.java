package io.sdp4j.offload;

import io.sdp4j.offload.spi.OffloadStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where each direction of one connection runs that moves from kernel TCP onto a stream.
 *
 * <p>The writing end stops at some byte of TCP and begins the stream with the number of bytes that
 * it has sent by TCP until then, its <em>limit</em>: 8 bytes, big-endian. The reading end takes as
 * many bytes from TCP, then reads the stream. The directions know nothing of each other, and
 * nothing is added to what goes by TCP.
 *
 * <p>Pure: no I/O, no clock, no thread. Thread-safety: what is sent is the business of the holder
 * of the write lock, what is received that of the holder of the read lock; the limit may come on
 * any one thread at any time. After {@link #limit} has returned, either {@link #finished} tells
 * that thread that all bytes of TCP have been taken, or the reader's next {@link #room} knows the
 * limit.
 */
public final class Handover {
    /** Bytes of a limit. */
    static final int LIMIT_BYTES = OffloadStream.MOST_BEGIN_BYTES;

    private static final long UNKNOWN = -1;

    private final AtomicLong sent; // bytes by TCP until now; set by the writer
    private final AtomicLong received; // likewise; set by the reader
    private boolean stays; // writer: the output ends on TCP
    private volatile boolean outMoved; // set by the writer
    private volatile boolean inMoved; // set by the reader
    private volatile long limit = UNKNOWN;

    Handover(AtomicLong sent, AtomicLong received) {
        this.sent = sent;
        this.received = received;
    }

    /** The writer has sent {@code n} bytes by TCP. */
    void sent(long n) {
        sent.setPlain(sent.getPlain() + n); // no other thread sets it
    }

    long sentBytes() {
        return sent.getPlain();
    }

    /** The writer has sent what is not counted, or ends the output: it goes on by TCP for good. */
    void stay() {
        stays = true;
    }

    /** Whether the writer may move. */
    boolean mayMove() {
        return !stays && !outMoved;
    }

    /** First bytes of the stream. */
    byte[] limitToTell() {
        return ByteBuffer.allocate(LIMIT_BYTES).putLong(0, sent.getPlain()).array();
    }

    /** The writer has begun the stream with {@link #limitToTell}. */
    void moveOut() {
        outMoved = true;
    }

    /** Whether output goes by the stream. Any thread. */
    public boolean outMoved() {
        return outMoved;
    }

    /** The reader has taken {@code n} bytes from TCP. */
    void received(long n) {
        received.set(received.getPlain() + n); // no other thread sets it
    }

    long receivedBytes() {
        return received.get();
    }

    /** The other end's limit; false if that cannot be: it has sent more by TCP already. */
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

    /** Bytes that are still to come by TCP; -1 = not known. Any thread. */
    public long left() {
        long most = limit;
        return most == UNKNOWN ? UNKNOWN : most - received.get();
    }

    /**
     * How many of {@code wanted} bytes the reader may take from TCP; 0 = none any more: from now on
     * it reads the stream.
     */
    public int room(int wanted) {
        long left = left();
        if (left == UNKNOWN) {
            return wanted;
        }
        if (left == 0) {
            inMoved = true;
        }
        return (int) Math.min(wanted, left);
    }

    /** Nothing more is read from TCP: what was not taken from there is dropped. */
    public void moveIn() {
        inMoved = true;
    }

    /** Whether input comes from the stream. Any thread. */
    public boolean inMoved() {
        return inMoved;
    }
}
