package io.sdp4j.offload;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The locks and counts of a connection on kernel TCP, which go over from an early socket or channel
 * to the object that goes on with it. A thread that reads or writes holds the lock of its direction
 * and adds to its count.
 *
 * @param readLock held by the reader, by TCP or by the stream
 * @param writeLock held by the writer
 * @param sent bytes that have gone by TCP; set under {@code writeLock}
 * @param received bytes that have come by TCP; set under {@code readLock}
 * @param turns how often the connection had answered, see {@link UpgradePolicy#turns}
 * @param nanos {@link System#nanoTime()} value when the connection began
 */
public record Began(
        ReentrantLock readLock,
        ReentrantLock writeLock,
        AtomicLong sent,
        AtomicLong received,
        long turns,
        long nanos) {

    /** A connection that has carried nothing yet and begins now. */
    public static Began now(ReentrantLock readLock, ReentrantLock writeLock) {
        return new Began(
                readLock, writeLock, new AtomicLong(), new AtomicLong(), 0, System.nanoTime());
    }
}
