package io.sdp4j.stream;

import io.sdp4j.fabric.QueuePair;
import io.sdp4j.wire.SdpMachine;
import java.util.ArrayList;
import java.util.List;

/**
 * The queue pairs that a session has had: one, unless it was suspended and resumed
 * (docs/protocol.md 10). Input of an earlier one is read before that of a later one.
 *
 * <p>Shape: a list from the connection that is being read to the one in use; most of the time these
 * are the same. A connection that was read to its end goes to {@code left}, and is closed when no
 * thread can be waiting in it any more.
 *
 * <p>Guarded by the stream's lock.
 */
final class SessionConnections {
    /** Most that are open at a time, for a reader that does not read. */
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

    /** The connection that messages are taken from. */
    Connection reading;

    /** The connection in use. */
    Connection current;

    private long receivedBefore;
    private long sentBefore;

    /** Queue pairs that were read to their ends and are not closed yet. */
    private final List<QueuePair> left = new ArrayList<>(0);

    /**
     * The descriptor of the first connection was handed out; the connection then stays until the
     * stream's end.
     */
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

    /** Whether a reader must catch up before another connection can be added. */
    boolean full() {
        assert Thread.holdsLock(core);
        int open = left.size() + 1;
        for (Connection connection = reading; connection != current; connection = connection.next) {
            open++;
        }
        return open >= MAX_OPEN;
    }

    /** From here on messages come over {@code qp}; {@code before} has counted the bytes so far. */
    void add(QueuePair qp, SdpMachine before) {
        assert Thread.holdsLock(core);
        receivedBefore += before.bytesReceived();
        sentBefore += before.bytesSent();
        Connection next = new Connection(qp, buffers);
        current.next = next;
        current = next;
    }

    /** Payload bytes that came over earlier connections, read or not. */
    long receivedBefore() {
        assert Thread.holdsLock(core);
        return receivedBefore;
    }

    long sentBefore() {
        assert Thread.holdsLock(core);
        return sentBefore;
    }

    /**
     * Takes the oldest message, from {@link #reading}; {@link UnreadQueue#NONE} if there is none.
     */
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

    /**
     * Leaves earlier connections that have nothing unread; the reader has no message of theirs in
     * hand.
     */
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

    /** Throws away what came over earlier connections; a message in the reader's hand stays. */
    void dropEarlier() {
        assert Thread.holdsLock(core);
        for (Connection connection = reading; connection != current; connection = connection.next) {
            while (connection.unread.take() != UnreadQueue.NONE) {
                // its buffer is not wanted again
            }
        }
    }

    /** Returns the descriptor of the first connection, which is kept for it. */
    int descriptor() {
        assert Thread.holdsLock(core);
        keepFirst = true;
        return first.qp.completions().descriptor();
    }

    /** Whether only the connection in use is open, and the first one if it must be. */
    boolean alone() {
        assert Thread.holdsLock(core);
        boolean kept = keepFirst && left.size() == 1 && left.get(0) == first.qp;
        return reading == current && (left.isEmpty() || kept);
    }

    /** Takes the queue pairs to be closed now: no thread reads them or waits in them. */
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

    /** Takes all queue pairs that are open; the stream is released. */
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
