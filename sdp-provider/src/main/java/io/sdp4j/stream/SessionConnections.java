package io.sdp4j.stream;

import io.sdp4j.fabric.QueuePair;
import io.sdp4j.wire.SdpMachine;
import java.util.ArrayList;
import java.util.List;

/**
 * The queue pairs that a session has had: one, unless it was suspended and resumed
 * (docs/protocol.md 10). Input of an earlier one is read before that of a later one.
 *
 * <p>Shape: a list from the one that is being read to the one in use; most of the time these are
 * the same. One that was read to its end is left, and closed when no thread can be waiting in it
 * any more.
 *
 * <p>Guarded by the stream's lock.
 */
final class SessionConnections {
    /** Most that are kept for a reader that does not read. */
    private static final int MAX_OPEN = 4;

    /** One queue pair and what came over it. */
    static final class Connection {
        final QueuePair qp;
        final UnreadQueue unread;
        private Connection next;

        private Connection(QueuePair qp, int buffers) {
            this.qp = qp;
            this.unread = new UnreadQueue(buffers);
        }
    }

    private final StreamCore core;
    private final int buffers;
    private final Connection first;
    private Connection reading;
    private Connection current;
    private long receivedBefore;
    private long sentBefore;

    /** Read to their ends, not closed. */
    private final List<QueuePair> left = new ArrayList<>(0);

    /** The first one's descriptor was handed out; it is then the stream's until its end. */
    private boolean keepFirst;

    /**
     * @param buffers receive slots of each
     */
    SessionConnections(StreamCore core, QueuePair qp, int buffers) {
        this.core = core;
        this.buffers = buffers;
        first = new Connection(qp, buffers);
        reading = first;
        current = first;
    }

    /** The one that messages are taken from. */
    Connection reading() {
        assert Thread.holdsLock(core);
        return reading;
    }

    /** The one in use. */
    Connection current() {
        assert Thread.holdsLock(core);
        return current;
    }

    /** Whether a reader must catch up before there can be another. */
    boolean full() {
        assert Thread.holdsLock(core);
        int open = left.size() + 1;
        for (Connection connection = reading; connection != current; connection = connection.next) {
            open++;
        }
        return open >= MAX_OPEN;
    }

    /** From here on messages come over another one; {@code before} has counted what came so far. */
    void add(QueuePair qp, SdpMachine before) {
        assert Thread.holdsLock(core);
        receivedBefore += before.bytesReceived();
        sentBefore += before.bytesSent();
        Connection next = new Connection(qp, buffers);
        current.next = next;
        current = next;
    }

    /** Payload bytes that came over earlier ones, read or not. */
    long receivedBefore() {
        assert Thread.holdsLock(core);
        return receivedBefore;
    }

    long sentBefore() {
        assert Thread.holdsLock(core);
        return sentBefore;
    }

    /** The oldest message, from {@link #reading}, or {@link UnreadQueue#NONE}. */
    long take() {
        assert Thread.holdsLock(core);
        while (true) {
            long entry = reading.unread.take();
            if (entry != UnreadQueue.NONE || reading == current) {
                return entry;
            }
            leave();
        }
    }

    private void leave() {
        left.add(reading.qp);
        reading = reading.next;
    }

    /** Leaves those that have nothing unread; the reader has no message of theirs in hand. */
    void leaveRead() {
        assert Thread.holdsLock(core);
        while (reading != current && reading.unread.isEmpty()) {
            leave();
        }
    }

    boolean isEmpty() {
        assert Thread.holdsLock(core);
        return reading.unread.isEmpty()
                && (reading == current || unreadBytes() == 0); // no message is without payload
    }

    long unreadBytes() {
        assert Thread.holdsLock(core);
        long bytes = reading.unread.bytes();
        for (Connection connection = reading; connection != current; ) {
            connection = connection.next;
            bytes += connection.unread.bytes();
        }
        return bytes;
    }

    /** Throws away what came over earlier ones; a message in the reader's hand stays. */
    void dropEarlier() {
        assert Thread.holdsLock(core);
        for (Connection connection = reading; connection != current; connection = connection.next) {
            while (connection.unread.take() != UnreadQueue.NONE) {
                // its buffer is not wanted again
            }
        }
    }

    /** The descriptor of the first one, which is kept for it. */
    int descriptor() {
        assert Thread.holdsLock(core);
        keepFirst = true;
        return first.qp.completions().descriptor();
    }

    /** Whether none is open but the one in use, and the first if it must be. */
    boolean alone() {
        assert Thread.holdsLock(core);
        boolean kept = keepFirst && left.size() == 1 && left.get(0) == first.qp;
        return reading == current && (left.isEmpty() || kept);
    }

    /** Those to be closed now: no thread reads them or waits in them. */
    List<QueuePair> takeLeft() {
        assert Thread.holdsLock(core);
        if (left.isEmpty()) {
            return List.of();
        }
        List<QueuePair> gone = new ArrayList<>(left);
        left.clear();
        if (keepFirst && gone.remove(first.qp)) {
            left.add(first.qp);
        }
        return gone;
    }

    /** The stream is released: all that are open. */
    List<QueuePair> takeAll() {
        assert Thread.holdsLock(core);
        List<QueuePair> all = new ArrayList<>(left);
        left.clear();
        for (Connection connection = reading; connection != null; connection = connection.next) {
            all.add(connection.qp);
        }
        return all;
    }
}
