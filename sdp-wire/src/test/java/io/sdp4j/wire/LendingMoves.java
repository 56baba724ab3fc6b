package io.sdp4j.wire;

/** Next moves of the {@link Lender} of a side: anything, or what there is when it is searched. */
final class LendingMoves {
    private final MachinePair pair;
    private final Side side;
    private final Lender lender;
    private final Choices choices;
    private boolean pipelines;

    LendingMoves(MachinePair pair, Side side, Lender lender, Choices choices) {
        this.pair = pair;
        this.side = side;
        this.lender = lender;
        this.choices = choices;
    }

    static Features features(Choices choices) {
        return new Features(
                1 + choices.below(5),
                1 + choices.below(choices.below(2) == 0 ? 50 : 1000),
                1 + choices.below(4),
                1 + choices.below(40),
                choices.below(4) != 0,
                false);
    }

    /** When only the order is chosen: the moves that are possible now, one bit each. */
    private int plainMoves() {
        SdpMachine machine = side.machine;
        boolean connecting = side == pair.a;
        int moves = 0;
        moves |= connecting && lender.ids < side.bounds.lends() && !side.app.outShut ? 1 : 0;
        boolean reads = !connecting && !side.app.inShut && side.unread.isEmpty();
        moves |= reads && lender.ids < side.bounds.lends() ? 2 : 0;
        moves |= !lender.sources.isEmpty() && !lender.recalling && !side.app.outShut ? 4 : 0;
        moves |= !lender.sinks.isEmpty() && !machine.receive.sinks.recalled ? 8 : 0;
        moves |= !lender.readsDone.isEmpty() && !side.dead ? 16 : 0;
        moves |= !lender.writesDone.isEmpty() && !side.dead ? 32 : 0;
        moves |= machine.sink().offeredBytes() > 0 ? 64 : 0;
        moves |= connecting && !pipelines && side.bounds.pipelines() ? 128 : 0;
        return moves;
    }

    boolean canMove() {
        return plainMoves() != 0;
    }

    private void plainMove() {
        int moves = plainMoves();
        for (int n = choices.below(Integer.bitCount(moves)); n > 0; n--) {
            moves &= moves - 1;
        }
        switch (Integer.lowestOneBit(moves)) {
            case 1 -> lender.lendSource(3);
            case 2 -> lender.lendSink(70);
            case 4 -> lender.recallSources();
            case 8 -> side.event(() -> side.machine.sink().recall(side.out));
            case 16 -> lender.completeReads(1);
            case 32 -> lender.completeWrites(1);
            case 64 -> side.event(() -> side.machine.sink().refuse(side.out));
            default -> {
                pipelines = true;
                side.event(() -> Rig.pipeline(side.machine, side.out));
            }
        }
    }

    /** One thing that an application or a shell may do with zero copy. */
    void move() {
        if (side.bounds.plain()) {
            plainMove();
            return;
        }
        switch (choices.below(14)) {
            case 0, 1, 2, 3 ->
                    lender.lendSource(2 + choices.below(choices.below(2) == 0 ? 20 : 600));
            case 4, 5, 6, 7 -> lender.lendSink(1 + choices.below(choices.below(4) == 0 ? 30 : 700));
            case 8 -> lender.recallSources();
            case 9 -> side.event(() -> side.machine.sink().recall(side.out));
            case 10 -> {
                boolean pipeline = choices.below(3) == 0;
                if (choices.below(4) == 0 && pipeline) {
                    side.event(() -> Rig.pipeline(side.machine, side.out));
                }
            }
            case 11 -> side.event(() -> side.machine.sink().refuse(side.out));
            case 12 -> lender.completeReads(1 + choices.below(3));
            default -> lender.completeWrites(1 + choices.below(3));
        }
    }

    void fingerprint(Fingerprint print) {
        print.add(pipelines);
    }
}
