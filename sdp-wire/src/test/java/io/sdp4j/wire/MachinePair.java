package io.sdp4j.wire;

/**
 * Two real machines joined by a simulated reliable, ordered wire, with the shells round them and
 * the programs that use them.
 *
 * <p>Shape: every move is one thing that may happen next: a program writes, reads, shuts or closes;
 * a message lands in a posted buffer; completions are polled late and in batches; a timer fires; a
 * queue pair fails; a message is replaced by a lie; a session is suspended and goes on over another
 * connection. Which one is asked of {@link Choices}, so the same scenario runs from a seed, from a
 * list, from a fuzzer's bytes and exhaustively. After every event the {@link Oracles} run.
 */
final class MachinePair {
    /** Events that may happen next on one side, and how often. */
    private enum Move {
        WRITE(2),
        FILL(1),
        LAND(3),
        POLL(3),
        READ(2),
        COMPLETE(1),
        ESTABLISH(1),
        SHUT(1),
        TIMER(1),
        FAIL(1),
        LIE(1),
        LEND(7),
        SUSPEND(1),
        RESUME(3);

        private static final Move[] ALL = values();

        private final int weight;

        Move(int weight) {
            this.weight = weight;
        }
    }

    final Choices choices;
    final Faults faults;
    final Bounds bounds;
    final Oracles oracles;
    final Side a;
    final Side b;
    private final StringBuilder trace;
    private final Move[] moves = new Move[64]; // that are possible, as often as they weigh
    private final Side[] movers = new Side[64]; // whose they are
    private final Side[] sides;
    private boolean lied;
    private boolean rough; // something cut the stream, rightly
    int resumed; // how often the session has

    MachinePair(Choices choices, Faults faults, boolean tracing) {
        this(choices, faults, Bounds.WIDE, tracing);
    }

    MachinePair(Choices choices, Faults faults, Bounds bounds, boolean tracing) {
        this.choices = choices;
        this.faults = faults;
        this.bounds = bounds;
        this.trace = tracing ? new StringBuilder() : null;
        this.oracles = new Oracles(this);
        WireConfig first = bounds.first() != null ? bounds.first() : config();
        WireConfig second = bounds.second() != null ? bounds.second() : config();
        a = new Side(this, "a", SdpMachine.connecting(first), first, style(), bounds.writes());
        b = new Side(this, "b", SdpMachine.accepting(second), second, style(), bounds.peerWrites());
        a.peer = b;
        b.peer = a;
        sides = new Side[] {a, b};
        Greeting.first(this);
    }

    /** Runs one schedule to its end. */
    static MachinePair play(Choices choices, Faults faults, boolean tracing) {
        MachinePair pair = new MachinePair(choices, faults, tracing);
        pair.run(40 + choices.below(200));
        pair.finish();
        return pair;
    }

    private WireConfig config() {
        int slots = 4 + choices.below(choices.below(2) == 0 ? 2 : 40);
        int bytes = 37 + choices.below(100);
        int depth = choices.below(2) == 0 ? Integer.MAX_VALUE : 3 + choices.below(12);
        WireConfig config = new WireConfig(slots, bytes, depth, 1 + choices.below(4), 4, 4);
        Features features = faults.lending() ? LendingMoves.features(choices) : Features.NONE;
        return config.with(faults.suspended() ? features.withSuspending() : features);
    }

    private Application.Style style() {
        return switch (bounds.plain() ? 0 : choices.below(3)) {
            case 0 -> Application.Style.NON_BLOCKING;
            case 1 -> Application.Style.BLOCKING;
            default -> Application.Style.ASYNCHRONOUS;
        };
    }

    /**
     * Runs up to {@code most} moves.
     *
     * @return false when the rest need not be run: it has been seen before
     */
    boolean run(int most) {
        for (int i = 0; i < most && step(); i++) {
            if (choices.seen(this::fingerprint)) {
                return false;
            }
        }
        return true;
    }

    /** One move, if there is one to choose. */
    private boolean step() {
        int rows = 0;
        for (Side side : sides) {
            for (Move move : Move.ALL) {
                for (int w = possible(side, move) ? weight(move) : 0; w > 0; w--) {
                    moves[rows] = move;
                    movers[rows++] = side;
                }
            }
        }
        if (rows == 0 || (bounds.plain() && choices.below(2) == 1)) {
            return false;
        }
        int row = choices.below(rows);
        make(movers[row], moves[row]);
        return true;
    }

    private int weight(Move move) {
        return bounds.plain() ? 1 : move.weight;
    }

    private boolean possible(Side side, Move move) {
        boolean over = side.over();
        return switch (move) {
            case WRITE ->
                    !over && side.app.canWrite() && !(bounds.plain() && !side.machine.writable());
            case FILL -> side.app.reserved();
            case LAND -> !side.peer.wire.isEmpty();
            case POLL -> !side.landed.isEmpty() && !side.dead;
            case READ -> !side.unread.isEmpty() && !side.app.closed;
            case COMPLETE -> !side.sent.isEmpty();
            case ESTABLISH -> !side.established;
            case SHUT -> faults.ends() && !side.app.closed;
            case TIMER -> faults.wildTimers() && !over && (side.timers != 0 || !bounds.plain());
            case FAIL -> faults.failures() && !side.dead && !over;
            case LIE -> faults.lies() && !side.wire.isEmpty();
            case LEND ->
                    faults.lending()
                            && !side.machine.closed()
                            && (!bounds.plain() || side.lender.moves.canMove());
            case SUSPEND -> side.session.canAsk();
            case RESUME -> side == a && a.session.suspended() && b.session.suspended();
        };
    }

    private void make(Side side, Move move) {
        switch (move) {
            case WRITE -> {
                for (int i = batch(8); i > 0; i--) {
                    side.app.write();
                }
            }
            case FILL -> side.app.fill();
            case LAND -> {
                side.land(bounds.plain() && side.machine.closed() ? 99 : batch(4));
                if (bounds.plain() && !faults.failures()) {
                    side.poll(1); // in between, nothing can tell the difference
                }
            }
            case POLL -> side.poll(batch(4));
            case READ -> side.app.read(batch(3));
            case COMPLETE -> side.completeSends(batch(6));
            case ESTABLISH -> side.establish();
            case SHUT -> shut(side, choices.below(bounds.plain() ? 2 : 80));
            case TIMER -> {
                if (bounds.plain()) {
                    side.fireAny();
                } else if (choices.below(4) == 0) {
                    side.fireTimer(choices.below(SdpMachine.TIMERS));
                }
            }
            case FAIL -> {
                if (bounds.plain() || choices.below(40) == 0) {
                    side.fail();
                }
            }
            case LIE -> {
                if (Lies.tell(side.wire.peekLast(), side.peer.config, choices)) {
                    lied = true;
                    rough = true;
                }
            }
            case LEND -> side.lender.moves.move();
            case SUSPEND -> {
                if (bounds.plain() || choices.below(5) == 0) {
                    side.session.ask();
                }
            }
            case RESUME -> SimulatedSession.progress(this);
        }
    }

    private int batch(int most) {
        return bounds.plain() ? 1 : 1 + choices.below(most);
    }

    private void shut(Side side, int how) {
        Application app = side.app;
        switch (how) {
            case 0, 2 -> app.shutOutput();
            case 1, 4 -> app.close(false);
            case 3 -> app.shutInput();
            case 5 -> app.close(choices.below(2) == 0);
            case 6 -> {
                if (side.machine.eof() && side.unread.isEmpty()) {
                    app.close(false);
                }
            }
            case 7 -> {
                if (faults.failures()) {
                    rough = true;
                    side.event(() -> side.machine.abort(AbortReason.LOCAL_ABORT, side.out));
                }
            }
            default -> {}
        }
    }

    /** Lets everything that can happen happen, programs reading, until nothing moves. */
    void settle() {
        settle(true);
    }

    private void settle(boolean reading) {
        int rounds = 0;
        for (int idle = 0; idle < 2; idle++) {
            oracles.require(++rounds < 1000, "two idle peers never fall silent");
            boolean moved = a.progress(reading);
            moved |= b.progress(reading);
            moved |= SimulatedSession.progress(this);
            if (moved) {
                idle = -1;
            }
        }
    }

    /** Settles, then proves that both sides can still talk, then closes both and proves the end. */
    void finish() {
        settle(false); // what is unread must not keep the machines talking
        settle();
        if (!rough && !lied) {
            oracles.require(a.peerSees(), "a's bytes did not all arrive");
            oracles.require(b.peerSees(), "b's bytes did not all arrive");
            oracles.require(a.app.outShut || a.machine.writable(), "a is stuck without credits");
            oracles.require(b.app.outShut || b.machine.writable(), "b is stuck without credits");
        }
        oracles.require(rough || lied || !a.lender.mustNotShut(), "a's buffers did not come back");
        oracles.require(rough || lied || !b.lender.mustNotShut(), "b's buffers did not come back");
        closeGently(a);
        closeGently(b);
        for (int i = 0; i < 8 && !(a.over() && b.over()); i++) {
            oracles.require(rough || lied, "an orderly end needed a timer");
            boolean fired = a.fireAny();
            fired |= b.fireAny();
            if (!fired) {
                break;
            }
            settle();
        }
        oracles.require(a.over() && b.over(), "a side waits for ever after close");
        if (!rough && !lied) {
            oracles.require(a.peerSees() && b.peerSees(), "bytes lost by the close");
            oracles.require(!a.reset() && !b.reset(), "an orderly end became a reset");
            oracles.require(a.machine.eof() && b.machine.eof(), "no end of stream");
            oracles.require(
                    a.machine.state() == State.TIME_WAIT && b.machine.state() == State.TIME_WAIT,
                    "not in TIME_WAIT");
        }
    }

    /** As a program that has read everything and waits for the peer to end, if it can. */
    private void closeGently(Side side) {
        if (!over(side)) {
            side.app.shutOutput();
            settle();
        }
        if (!over(side)) {
            side.peer.app.shutOutput();
            settle();
        }
        side.app.close(false);
        settle();
    }

    private static boolean over(Side side) {
        return side.machine.eof() || side.reset() || side.over();
    }

    /** Something has happened that may cut a stream or lose bytes. */
    void rough() {
        rough = true;
    }

    boolean lied() {
        return lied;
    }

    /** Whether that has happened, or a lie. */
    boolean unsafe() {
        return rough || lied;
    }

    int choose(int n) {
        return choices.below(n);
    }

    void trace(Side side) {
        if (trace != null) {
            trace.append(side.name).append(' ').append(ActionText.of(side.out)).append('\n');
        }
    }

    long fingerprint() {
        Fingerprint print = new Fingerprint();
        print.add(rough).add(lied);
        a.fingerprint(print);
        b.fingerprint(print);
        oracles.fingerprint(print);
        return print.number();
    }

    @Override
    public String toString() {
        return a
                + "\n"
                + b
                + "\nrough "
                + rough
                + ", lied "
                + lied
                + "\n"
                + (trace == null ? "" : trace);
    }
}
