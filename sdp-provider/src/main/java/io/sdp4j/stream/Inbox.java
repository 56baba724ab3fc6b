package io.sdp4j.stream;

import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.wire.Action;
import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.Bsdh;

/**
 * Input that the application has not taken yet, and whether it is wanted at all.
 *
 * <p>Urgent bytes are as in the kernel's TCP: only the last one that came is urgent. Reads stop
 * before it; the next read drops it, or returns it if urgent bytes stay in line. If another urgent
 * byte comes before the first one was read, the first one becomes an ordinary byte; but if the
 * reader stands before it, it is dropped.
 *
 * <p>Guarded by the stream's lock.
 */
final class Inbox {
    private final StreamCore core;
    private final SessionConnections qps;
    private final ActionList out;
    private StreamReader reader;

    /** Number of messages that have brought the reader payload; wraps. */
    int deliveries;

    private boolean oobInline;
    private boolean readerBehind;
    private boolean shut;

    /** Urgent bytes that have come, and of these the ones in messages that the reader has taken. */
    int urgentCome;

    private int urgentTaken;

    /** Bytes that have come after the last urgent one. */
    private long behindUrgent;

    /** Bytes that have come without a message. */
    private long unsentBytes;

    Inbox(StreamCore core, SessionConnections qps, ActionList out) {
        this.core = core;
        this.qps = qps;
        this.out = out;
    }

    /** Called once, before use. */
    void begin(StreamReader reading) {
        reader = reading;
    }

    /** Payload in a receive slot. */
    void deliver(Action a) {
        assert Thread.holdsLock(core);
        int slot = a.slot;
        int lenBytes = a.bytes;
        if (shut) {
            core.machine.consumed(slot, out);
            return;
        }
        boolean urgent = (a.flags & Bsdh.OOB_PRES) != 0;
        if (urgent) {
            makeWay();
            urgentCome++;
            behindUrgent = 0;
        } else {
            behindUrgent += lenBytes;
        }
        qps.current.unread.add(slot, a.offset, lenBytes, urgent);
        deliveries++;
        core.wake(OffloadStream.READ);
    }

    /** Payload that the peer had written and not sent when its process ended. */
    void deliverUnsent(int slot, int offset, int lenBytes) {
        assert Thread.holdsLock(core);
        if (!shut) {
            unsentBytes += lenBytes;
            behindUrgent += lenBytes;
            qps.current.unread.add(slot, offset, lenBytes, false);
            deliveries++;
            core.wake(OffloadStream.READ);
        }
    }

    /** Bytes of {@link #deliverUnsent}, which no machine has counted. */
    long unsentBytes() {
        assert Thread.holdsLock(core);
        return unsentBytes;
    }

    /** An urgent byte comes: the one that the reader stands before is passed over. */
    private void makeWay() {
        if (oobInline || readerBehind || !atMark()) {
            return;
        }
        if (reader.atMark()) {
            reader.passMark();
        } else {
            urgentTaken++;
            long entry = qps.take();
            if (qps.reading == qps.current) {
                core.machine.consumed(UnreadQueue.slot(entry), out);
            }
        }
    }

    /**
     * Notes that the reader takes a message with an urgent byte; returns the number of that byte.
     */
    int takeUrgent() {
        assert Thread.holdsLock(core);
        return ++urgentTaken;
    }

    /** Whether no urgent byte came after that one. */
    boolean newest(int urgent) {
        assert Thread.holdsLock(core);
        return urgent == urgentCome;
    }

    /** See {@link StreamReader#left()}. */
    int left() {
        return reader.left();
    }

    private long unread() {
        return reader.unread() + qps.unreadBytes();
    }

    /** Whether the last urgent byte is yet to be passed. */
    private boolean marked() {
        return urgentTaken != urgentCome || reader.holdsMark();
    }

    private boolean atMark() {
        return marked() && unread() == behindUrgent + 1;
    }

    /** Bytes that a read would give, as the kernel counts them: up to the mark. */
    long available() {
        assert Thread.holdsLock(core);
        long all = unread();
        return oobInline || !marked() ? all : all - behindUrgent - 1;
    }

    /** Whether a read would give something. */
    boolean readable() {
        assert Thread.holdsLock(core);
        if (urgentCome == 0) {
            return reader.left() > 0 || !qps.isEmpty();
        }
        long all = unread();
        return all > 1 || (all == 1 && (oobInline || !atMark()));
    }

    /**
     * Whether a close leaves input unread. The limit with which the peer's switch begins a stream
     * is not unread input, see {@link OffloadStream#tryBegin}.
     */
    boolean holdsInput() {
        assert Thread.holdsLock(core);
        return unread() > (readerBehind ? OffloadStream.MOST_BEGIN_BYTES : 0);
    }

    /** Changes with each message that brings the reader payload. */
    int deliveries() {
        assert Thread.holdsLock(core);
        return deliveries;
    }

    void oobInline(boolean inline) {
        assert Thread.holdsLock(core);
        oobInline = inline;
    }

    /** See {@link OffloadStream#readerBehind}. */
    void readerBehind(boolean behind) {
        assert Thread.holdsLock(core);
        if (readerBehind && !behind) {
            progressBehind();
        }
        readerBehind = behind;
    }

    /**
     * Makes progress for input that may have come while the reader was behind: the reader does not
     * stand before any of the urgent bytes.
     */
    void progressBehind() {
        assert Thread.holdsLock(core);
        boolean behind = readerBehind;
        readerBehind = true;
        core.progress();
        readerBehind = behind;
    }

    /** Whether urgent bytes stay in the stream. */
    boolean isInline() {
        assert Thread.holdsLock(core);
        return oobInline;
    }

    /** Input is thrown away from now on. */
    void shut() {
        assert Thread.holdsLock(core);
        shut = true;
    }

    /** Whether input is thrown away: shut down, or the stream was closed. */
    boolean isShut() {
        assert Thread.holdsLock(core);
        return shut;
    }

    /**
     * Throws away what has come; a message in the reader's hand stays. The caller carries out the
     * action list.
     */
    void drop() {
        assert Thread.holdsLock(core);
        qps.dropEarlier();
        UnreadQueue unread = qps.current.unread;
        for (long e = unread.take(); e != UnreadQueue.NONE; e = unread.take()) {
            core.machine.consumed(UnreadQueue.slot(e), out);
        }
        urgentTaken = urgentCome;
        behindUrgent = 0;
    }
}
