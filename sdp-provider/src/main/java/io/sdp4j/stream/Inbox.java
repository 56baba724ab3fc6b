package io.sdp4j.stream;

import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.Outbox;

/**
 * What has come for the application and was not taken yet, and whether it is wanted at all. Guarded
 * by the stream's lock.
 */
final class Inbox {
    private final StreamCore core;
    private final Legs legs;
    private final Outbox out;

    /** Messages with payload for the reader so far, wrapping. */
    private int deliveries;

    private boolean oobInline;
    private boolean shut;

    Inbox(StreamCore core, Legs legs, Outbox out) {
        this.core = core;
        this.legs = legs;
        this.out = out;
    }

    /** Row {@code i} of the outbox: payload in a receive slot. */
    void deliver(int i) {
        int slot = out.slot(i);
        int lenBytes = out.bytes(i);
        if ((out.flags(i) & Bsdh.OOB_PRES) != 0 && !oobInline) {
            lenBytes--;
        }
        if (lenBytes == 0 || shut) {
            core.machine.consumed(slot, out);
        } else {
            legs.current().unread.add(slot, out.offset(i), lenBytes);
            deliveries++;
            core.wake(OffloadStream.READ);
        }
    }

    /** Changes with each message that brings the reader payload. */
    int deliveries() {
        return deliveries;
    }

    void oobInline(boolean inline) {
        oobInline = inline;
    }

    /** What comes is thrown away from now on. */
    void shut() {
        shut = true;
    }

    boolean isShut() {
        return shut;
    }

    /** Throws away what has come; a message in the reader's hand stays. The caller carries out. */
    void drop() {
        legs.dropEarlier();
        UnreadQueue unread = legs.current().unread;
        for (long e = unread.take(); e != UnreadQueue.NONE; e = unread.take()) {
            core.machine.consumed(UnreadQueue.slot(e), out);
        }
    }
}
