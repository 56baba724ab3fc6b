package io.sdp4j.trace;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.trace.TraceEvent.Kind;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.MessageFields;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Records what happens on one connection. The stream that owns it calls it under the stream's lock;
 * different connections write at the same time.
 *
 * <p>A message is recorded from the memory that it is sent from, or that it landed in. A hostile
 * peer that can write there may make the trace tell something else than the stream has seen; it
 * cannot do more.
 *
 * <p>Of a message its headers are kept, and as much of its payload as the setting allows. Times are
 * {@link System#nanoTime()}.
 */
public final class ConnectionTrace {
    /** Remote key, and remote address. */
    private static final int RDMA_BYTES = 12;

    private final TraceWriter writer;
    private final int connection;

    /** This end was told to end the connection; only the first time is recorded. */
    private boolean ended;

    ConnectionTrace(TraceWriter writer, int connection) {
        this.writer = writer;
        this.connection = connection;
    }

    /** Records what has come, and how the connection failed: what was posted was recorded then. */
    public void completed(QueuePair qp, Completion c) {
        boolean good = c.status == WcStatus.SUCCESS;
        if (c.opcode == Completion.RECEIVE && good) {
            long at = qp.receiveOffset(c.slot);
            message(System.nanoTime(), true, qp.receiveMemory(), at, c.byteLen);
        } else if (c.opcode == Completion.DISCONNECTED && good) {
            disconnect(System.nanoTime(), true);
        } else if (c.opcode == Completion.DISCONNECTED || c.opcode == Completion.ERROR) {
            abort(System.nanoTime(), true, c.status.name());
        }
    }

    /**
     * A message is about to be posted, or has landed.
     *
     * @param m holds the message from {@code at} on; the peer may still write one that has landed
     * @param byteLen of one that has landed, what the fabric says: not checked yet
     */
    public void message(long nanos, boolean received, MemorySegment m, long at, int byteLen) {
        int there = Math.clamp(m.byteSize() - at, 0, Math.max(0, byteLen));
        int head = Math.min(there, Bsdh.BYTES);
        if (there >= Bsdh.BYTES) {
            int whole = MessageFields.headerBytes(Bsdh.mid(m, at), there);
            head = Math.min(whole, TraceFormat.MESSAGE_HEADER_BYTES);
        }
        int kept = head + Math.min(there - head, writer.payloadBytes());
        long number = writer.begin();
        MemorySegment to = writer.memory();
        long data = writer.at(number) + TraceFormat.C_DATA;
        clearTail(to, data, kept);
        MemorySegment.copy(m, at, to, data, kept);
        writer.end(number, nanos, connection, Kind.MESSAGE.code(), received, byteLen, kept);
    }

    /** An RDMA Read of ours is about to be posted. */
    public void rdmaRead(long nanos, int lenBytes, int rkey, long va) {
        rdma(nanos, Kind.RDMA_READ, lenBytes, rkey, va);
    }

    /** An RDMA Write of ours is about to be posted. */
    public void rdmaWrite(long nanos, int lenBytes, int rkey, long va) {
        rdma(nanos, Kind.RDMA_WRITE, lenBytes, rkey, va);
    }

    private void rdma(long nanos, Kind kind, int lenBytes, int rkey, long va) {
        long number = writer.begin();
        MemorySegment to = writer.memory();
        long data = writer.at(number) + TraceFormat.C_DATA;
        clearTail(to, data, RDMA_BYTES);
        TraceFormat.putInt(to, data, rkey);
        TraceFormat.putLong(to, data + Integer.BYTES, va);
        writer.end(number, nanos, connection, kind.code(), false, lenBytes, RDMA_BYTES);
    }

    /**
     * The connection below ends in order.
     *
     * @param received whether the peer closed it; a close by this end is recorded once
     */
    public void disconnect(long nanos, boolean received) {
        if (endedBefore(received)) {
            return;
        }
        writer.end(writer.begin(), nanos, connection, Kind.DISCONNECT.code(), received, 0, 0);
    }

    /**
     * The connection below is cut.
     *
     * @param received whether this end found the cut, rather than made it; one that it made is
     *     recorded once
     * @param reason in ASCII, empty if it is not known here; its first 36 characters are kept
     */
    public void abort(long nanos, boolean received, String reason) {
        if (endedBefore(received)) {
            return;
        }
        byte[] text = reason.getBytes(US_ASCII);
        int kept = Math.min(text.length, TraceFormat.MESSAGE_HEADER_BYTES);
        long number = writer.begin();
        MemorySegment to = writer.memory();
        long data = writer.at(number) + TraceFormat.C_DATA;
        clearTail(to, data, kept);
        MemorySegment.copy(text, 0, to, ValueLayout.JAVA_BYTE, data, kept);
        writer.end(number, nanos, connection, Kind.ABORT.code(), received, 0, kept);
    }

    private boolean endedBefore(boolean received) {
        boolean before = ended && !received;
        ended |= !received;
        return before;
    }

    /** Clears the rest of the last word, because the check covers whole words. */
    private static void clearTail(MemorySegment to, long data, int kept) {
        if ((kept & 7) != 0) {
            TraceFormat.putLong(to, data + (kept & ~7), 0);
        }
    }
}
