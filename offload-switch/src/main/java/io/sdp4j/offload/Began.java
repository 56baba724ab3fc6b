package io.sdp4j.offload;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The bytes of a connection on kernel TCP until it may move, and after: the thread that reads or
 * writes holds the lock and adds to the count.
 *
 * @param readLock held by the reader, by TCP or by the stream
 * @param writeLock held by the writer
 * @param sent bytes that have gone by TCP; set under {@code writeLock}
 * @param received bytes that have come by TCP; set under {@code readLock}
 * @param turns how often it had answered
 * @param nanos {@link System#nanoTime()} of its beginning
 */
public record Began(
        ReentrantLock readLock,
        ReentrantLock writeLock,
        AtomicLong sent,
        AtomicLong received,
        long turns,
        long nanos) {

    /** With the first byte to come. */
    public static Began now(ReentrantLock readLock, ReentrantLock writeLock) {
        return new Began(
                readLock, writeLock, new AtomicLong(), new AtomicLong(), 0, System.nanoTime());
    }
}
