package io.sdp4j.wire;

/**
 * The program on one side: its use of the stream, and its waits.
 *
 * <p>Shape: a blocking program sleeps when it cannot go on, and only a wake-up of the machine gets
 * it going again; a non-blocking one tries whenever it likes; an asynchronous one hands over
 * several writes and is served inside the events that make room for them. Payload is nothing but
 * its position in the stream: the machine never sees more of it either.
 */
final class Application {
    enum Style {
        NON_BLOCKING,
        BLOCKING,
        ASYNCHRONOUS
    }

    /** Writes that an asynchronous program lets wait at a time. */
    private static final int PIPELINE = 4;

    private static final int MOST_PAYLOAD = 1 << 16;

    final Style style;
    private final Side side;
    private final Choices choices;
    private int budget;
    private long todo; // bytes of begun writes that the machine has not taken yet
    private int waiting; // writes they belong to
    private boolean reserved; // a send slot is being filled
    private boolean writerAsleep;
    private boolean readerAsleep;
    boolean outShut;
    boolean inShut;
    boolean closed;
    long read;

    Application(Side side, Choices choices, Style style, int budget) {
        this.side = side;
        this.choices = choices;
        this.style = style;
        this.budget = budget;
    }

    boolean reserved() {
        return reserved;
    }

    /** Whether a write can begin or go on. */
    boolean canWrite() {
        boolean owing = !side.lender.pending.isEmpty();
        return ((owing && (!closed || side.session.owing())) || !outShut)
                && !reserved
                && !writerAsleep
                && (budget > 0 || todo > 0 || owing);
    }

    /** Begins a write, or goes on with one. */
    void write() {
        if (!canWrite()) {
            return;
        }
        if (outShut || budget == 0) {
            sendPending();
            return;
        }
        if (todo == 0 || (style == Style.ASYNCHRONOUS && waiting < PIPELINE && budget > 0)) {
            todo += size();
            waiting++;
            budget--;
        }
        if (style == Style.ASYNCHRONOUS) {
            pump();
            return;
        }
        if (!side.machine.reserve()) {
            if (style == Style.BLOCKING) {
                writerAsleep = true;
            } else {
                taken(todo); // it would block: the program has better things to do
            }
            return;
        }
        reserved = true;
        if (side.bounds.plain() || choices.below(3) != 0) {
            fill();
        }
    }

    /** The slot that is being filled is full. */
    void fill() {
        if (!reserved) {
            return;
        }
        reserved = false;
        if (!side.bounds.plain() && choices.below(10) == 9) {
            side.event(() -> side.machine.unreserve(side.out));
            taken(todo);
        } else {
            send();
        }
    }

    private void pump() {
        while (todo > 0 && side.machine.reserve()) {
            send();
        }
    }

    private void send() {
        boolean owing = !side.lender.pending.isEmpty();
        int limit = side.lender.sendLimit();
        int bytes = owing ? limit : (int) Math.min(Math.max(todo, 1), limit);
        boolean urgent = !side.bounds.plain() && choices.below(8) == 7;
        side.send(bytes, urgent);
        if (!owing) {
            taken(bytes);
        }
    }

    /** Sends what came back from the peer unread, before anything else. */
    boolean sendPending() {
        boolean can = !side.lender.pending.isEmpty() && !reserved && side.machine.reserve();
        if (can) {
            send();
        }
        return can;
    }

    private void taken(long bytes) {
        todo = Math.max(0, todo - bytes);
        if (todo == 0) {
            waiting = 0;
        }
    }

    private long size() {
        // A liar may have asked for messages of any size; on the next connection they are small.
        int max = Math.min(side.machine.maxPayload(), MOST_PAYLOAD);
        if (side.bounds.plain()) {
            return max;
        }
        return switch (choices.below(4)) {
            case 0 -> 1;
            case 1, 2 -> 1 + choices.below(max);
            default -> (1 + choices.below(10)) * (long) max + choices.below(2);
        };
    }

    /** The machine has something new for this program. */
    void woken(int mask) {
        if ((mask & ActionList.WRITABLE) != 0) {
            writerAsleep = false;
        }
        if ((mask & ActionList.READABLE) != 0) {
            readerAsleep = false;
        }
        if (side.reset() || side.machine.outputShut()) {
            taken(todo); // the write fails
        }
    }

    /** The events of an asynchronous program include its own. */
    void served() {
        if (style == Style.ASYNCHRONOUS && !outShut) {
            pump();
        }
    }

    void delivered() {
        readerAsleep = false;
    }

    /** Reads up to {@code count} messages; a blocking reader falls asleep when there is none. */
    boolean read(int count) {
        boolean moved = false;
        for (int i = 0; i < count && !closed; i++) {
            Side.Chunk chunk = side.unread.poll();
            if (chunk == null) {
                readerAsleep =
                        style == Style.BLOCKING && !(inShut || side.machine.eof() || side.reset());
                break;
            }
            moved = true;
            side.oracles.reads(side, chunk, read);
            read = chunk.at() + chunk.bytes();
            consume(chunk);
        }
        return moved;
    }

    void shutOutput() {
        if (side.lender.mustNotShut()) {
            return;
        }
        outShut = true;
        writerAsleep = false;
        taken(todo);
        side.event(() -> side.machine.shutdownOutput(side.out));
    }

    void shutInput() {
        inShut = true;
        readerAsleep = false;
        side.event(() -> side.machine.shutdownInput(side.out));
        while (!side.unread.isEmpty()) {
            consume(side.unread.remove());
        }
    }

    /** Bytes that came by RDMA need no slot. */
    private void consume(Side.Chunk chunk) {
        if (chunk.slot() >= 0) {
            side.event(() -> side.consume(chunk.slot()));
        }
    }

    void close(boolean abortive) {
        if (closed) {
            return;
        }
        boolean lost = side.lender.mustNotShut() || !side.lender.pending.isEmpty();
        boolean quiet = side.machine.eof() && side.unread.isEmpty() && !abortive && !lost;
        if (!quiet) {
            side.pair.rough(); // the peer may have sent, or may still send, bytes that will not be
            // read
        }
        closed = true;
        outShut = true;
        inShut = true;
        writerAsleep = false;
        readerAsleep = false;
        taken(todo);
        boolean left = !side.unread.isEmpty();
        side.session.onClose(left, abortive);
        if (!side.session.suspended()) {
            side.event(() -> side.machine.close(left, abortive, side.out));
        }
        side.unread.clear();
    }

    boolean writerAsleep() {
        return writerAsleep;
    }

    boolean readerAsleep() {
        return readerAsleep;
    }

    /** Whether a write has begun that has neither failed nor been taken in full. */
    boolean writing() {
        return todo > 0 || reserved;
    }

    void fingerprint(Fingerprint print) {
        print.add(budget).add(todo).add(waiting).add(read);
        print.add(reserved).add(writerAsleep).add(readerAsleep);
        print.add(outShut).add(inShut).add(closed);
    }

    @Override
    public String toString() {
        return style
                + (reserved ? " filling" : "")
                + (writerAsleep ? " writer asleep" : "")
                + (readerAsleep ? " reader asleep" : "")
                + (outShut ? " out shut" : "")
                + (inShut ? " in shut" : "")
                + (closed ? " closed" : "")
                + ", to write "
                + todo
                + ", read "
                + read;
    }
}
