package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Peers as they are, were, or could be found: the habits of each. All greet in the short form, the
 * only one that is spoken here.
 *
 * <p>Source: docs/protocol.md 2.12, 3.5, 6.4, 9, 10 and 16.
 */
enum Vintage {
    /** The draft, to the letter. */
    DRAFT(8, 16, Habit.READS, Habit.ADVERTISES, Habit.PIPELINES, Habit.CHANGES_MODES),

    /** Version 1.1, as the first Linux stack: copies nothing by SendSm. */
    GEN2(63, 255, Habit.READS, Habit.ADVERTISES, Habit.PIPELINES, Habit.IGNORES_SUSPEND),

    /** Version 2.2, copy only, no credit at first. */
    OFED1(16, 1, Habit.COPIES, Habit.ASKS_SIZES, Habit.ANNOUNCES_NONE),

    /** Version 2.2 with SrcAvail, impatient; logs and drops what it does not know. */
    MLNX(
            16,
            1,
            Habit.READS,
            Habit.ADVERTISES,
            Habit.CANCELS,
            Habit.IGNORES_MODES,
            Habit.RESETS_ON_SINK_AVAIL,
            Habit.IGNORES_SUSPEND),

    /** Never advertises anything. */
    NEVER_ADVERTISES(8, 4, Habit.READS),

    /** Answers every SrcAvail with SendSm. */
    COPIES(8, 4, Habit.COPIES, Habit.ADVERTISES),

    /** Neither reads nor refuses: everything must be taken back from it. */
    NEVER_ANSWERS(8, 4),

    /** Tracks several advertisements and does not know ModeChange. */
    IGNORES_MODES(8, 4, Habit.READS, Habit.IGNORES_MODES),

    /** Leads its half into Pipelined and resets when that is taken seriously. */
    RESETS_ON_SINK_AVAIL(8, 4, Habit.READS, Habit.PIPELINES, Habit.RESETS_ON_SINK_AVAIL),

    /** Advertises buffers of no bytes. */
    ZERO_LENGTH(8, 4, Habit.READS, Habit.ADVERTISES, Habit.ZERO_LENGTH),

    /** One private buffer: nothing but credit updates can be sent to it. */
    ONE_BUFFER(1, 1, Habit.COPIES),

    /** Two: control messages, but no payload. */
    TWO_BUFFERS(2, 1, Habit.COPIES, Habit.ADVERTISES),

    /** Three, the fewest that the draft allows. */
    THREE_BUFFERS(3, 4, Habit.READS, Habit.ADVERTISES, Habit.PIPELINES),

    /** Asks for buffers of other sizes. */
    ASKS_SIZES(8, 4, Habit.READS, Habit.ASKS_SIZES),

    /** Suspends the session and moves it elsewhere. */
    SUSPENDS(8, 4, Habit.READS, Habit.ADVERTISES, Habit.SUSPENDS),

    /** Offers buffers to write into, as many as may be, and takes them back at any time. */
    OFFERS(8, 4, Habit.READS, Habit.ADVERTISES, Habit.PIPELINES, Habit.OFFERS, Habit.ASKS_SIZES),

    /** The same with three buffers; bytes that it does not offer a buffer for, it has copied. */
    OFFERS_AND_COPIES(3, 2, Habit.COPIES, Habit.ADVERTISES, Habit.OFFERS),

    /** Offers buffers that are too small, or of no bytes. */
    OFFERS_TINY(8, 4, Habit.READS, Habit.OFFERS, Habit.OFFERS_TINY),

    /** Offers more than we have said that we keep track of. */
    OFFERS_TOO_MANY(8, 4, Habit.READS, Habit.OFFERS, Habit.OFFERS_TOO_MANY),

    /** Tracks one advertisement, so that no side leaves Combined for it, and offers there. */
    OFFERS_UNASKED(8, 1, Habit.READS, Habit.OFFERS, Habit.OFFERS_UNASKED);

    /** A habit of such peers. */
    enum Habit {
        /** Announces no buffers at first: an empty Data repairs it (docs/protocol.md 16.2). */
        ANNOUNCES_NONE,
        /** Answers SrcAvail by RDMA Reads. */
        READS,
        /** Answers SrcAvail with SendSm. */
        COPIES,
        /** Sends SrcAvail. */
        ADVERTISES,
        /** Takes its SrcAvails back, and does not hold MSeqAck when ours are taken back. */
        CANCELS,
        /** Leads its own half into Pipelined. */
        PIPELINES,
        /** Leads it out of Pipelined, too, and into Buffered. */
        CHANGES_MODES,
        /** Drops ModeChange. */
        IGNORES_MODES,
        RESETS_ON_SINK_AVAIL,
        ZERO_LENGTH,
        ASKS_SIZES,
        SUSPENDS,
        IGNORES_SUSPEND,
        /** Sends SinkAvail. */
        OFFERS,
        OFFERS_TINY,
        OFFERS_TOO_MANY,
        OFFERS_UNASKED
    }

    final int buffers;
    final int maxAdverts;

    @SuppressWarnings("ImmutableEnumChecker") // Set.of cannot be changed
    private final Set<Habit> habits;

    Vintage(int buffers, int maxAdverts, Habit... habits) {
        this.buffers = buffers;
        this.maxAdverts = maxAdverts;
        this.habits = Set.of(habits);
    }

    boolean is(Habit habit) {
        return habits.contains(habit);
    }

    /**
     * Exchanges Hello and HelloAck with a machine.
     *
     * @param m room for either
     * @return what is wrong, or nothing
     */
    String greet(
            SdpMachine machine, boolean connecting, int bufs, int receiveBytes, MemorySegment m) {
        if (connecting) {
            machine.writeHello(m, 0);
            int n = HelloAck.writeShort(m, 0, bufs, maxAdverts, receiveBytes, 4, 4);
            return machine.onHelloAck(m, 0, n) == HelloFault.NONE ? "" : "HelloAck refused";
        }
        int n = Hello.writeShort(m, 0, bufs, maxAdverts, 4096, receiveBytes, 4, 4);
        if (machine.onHello(m, 0, n) != HelloFault.NONE) {
            return "Hello refused";
        }
        n = machine.writeHelloAck(m, 0);
        return HelloAck.check(m, 0, n) == HelloFault.NONE ? "" : "answers wrongly";
    }
}
