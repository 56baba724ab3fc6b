package io.sdp4j.wire;

/**
 * One life of a machine that talks to a peer of another {@link Vintage}, under a chosen schedule.
 *
 * <p>Oracle besides those of the {@link Meeting}: in the end everything has arrived and both halves
 * end in order, unless the peer did what must cut a connection.
 */
final class Visit extends Meeting {
    private boolean suspending; // we have asked for it

    private Visit(Vintage vintage, Choices choices, WireConfig config, boolean connecting) {
        super(vintage, choices, config, connecting);
    }

    /** Runs one life. */
    static Visit play(Vintage vintage, Choices choices) {
        int depth = choices.below(2) == 0 ? Integer.MAX_VALUE : 3 + choices.below(6);
        int slots = 4 + choices.below(12);
        int adverts = 1 + choices.below(4);
        WireConfig config = new WireConfig(slots, 60 + choices.below(80), depth, adverts, 4, 4);
        Features features = LendingMoves.features(choices);
        config = config.with(choices.below(2) == 0 ? features : features.withSuspending());
        boolean first = choices.below(2) == 0;
        Visit visit = new Visit(vintage, choices, config, first);
        int steps = 30 + choices.below(300);
        for (int i = 0; i < steps && !visit.machine.closed(); i++) {
            visit.step();
        }
        visit.finish();
        return visit;
    }

    private void step() {
        switch (choices.below(24)) {
            case 0, 1, 2, 3 -> peer.land();
            case 4, 5, 6 -> poll();
            case 7, 8 -> write(1 + choices.below(200));
            case 9 -> lendSource(2 + choices.below(choices.below(2) == 0 ? 20 : 600));
            case 10 -> lendSink(1 + choices.below(700), choices.below(4) != 0);
            case 11 -> consume();
            case 12 -> completeSend();
            case 13 -> completeRdma();
            case 14 -> program();
            case 15 -> peer.repost();
            case 16 -> peer.update();
            case 17 -> peer.source.sendData();
            case 18 -> {
                boolean changes = vintage.is(Vintage.Habit.CHANGES_MODES) && choices.below(2) == 0;
                if (!changes || !peer.source.changeMode()) {
                    peer.source.advertise();
                }
            }
            case 19, 20 -> peer.answer();
            case 21, 22 -> peer.sink.offer();
            default -> rare();
        }
    }

    private void rare() {
        switch (choices.below(6)) {
            case 0 -> peer.source.cancel();
            case 1 -> peer.source.changeMode();
            case 2 -> peer.askSize();
            case 3 -> {
                if (choices.below(4) == 0) {
                    peer.suspend();
                }
            }
            case 4 -> {
                if ((timers & (1 << SdpMachine.TIMER_SRC_AVAIL)) != 0) {
                    fire(SdpMachine.TIMER_SRC_AVAIL);
                }
            }
            default -> peer.sink.offers.cancel();
        }
    }

    private void program() {
        switch (choices.below(7)) {
            case 0 -> recallSources();
            case 1 -> event(() -> machine.sink().recall(out));
            case 2 -> event(() -> machine.sink().refuse(out));
            case 3 -> {
                if (vintage.maxAdverts > 1 && choices.below(2) == 0) {
                    event(() -> Rig.pipeline(machine, out));
                }
            }
            case 4 -> {
                if (pending.isEmpty() && choices.below(8) == 0) {
                    event(() -> suspending |= machine.suspend(7, out));
                }
            }
            default -> event(() -> machine.onKeepAlive(out));
        }
    }

    private void finish() {
        settle(false);
        boolean wrong = vintage.is(Vintage.Habit.OFFERS_UNASKED) && peer.sink.offers.misbehaved;
        require(!wrong || machine.closed(), "takes a SinkAvail in Combined");
        if (!machine.closed() && vintage.buffers < 3) {
            if (choices.below(2) == 0) {
                end(); // starved of credits: time-outs see to it
                return;
            }
            peer.grow();
            settle(false);
        }
        if (!machine.closed() && peer.waitsForSuspension()) {
            reset(); // its time-out
            poll();
        }
        if (!machine.closed() && suspending) {
            fire(SdpMachine.TIMER_SUSPEND); // without an answer
        }
        if (machine.closed()) {
            judge();
            end();
            return;
        }
        event(() -> machine.sink().recall(out));
        settle(false);
        require(pending.isEmpty() && sources.isEmpty(), "a source did not come back");
        require(sinks.isEmpty(), "a sink did not come back");
        require(peer.sink.got == written, "the peer has not got all");
        require(arrived == peer.source.written, "we have not got all");
        event(() -> machine.shutdownOutput(out));
        settle(true);
        require(machine.eof(), "no end of stream");
        event(() -> machine.close(false, false, out));
        settle(true);
        while (!machine.closed()) {
            require((timers & (1 << SdpMachine.TIMER_GRACE)) != 0, "needs a timer to end");
            fire(SdpMachine.TIMER_GRACE);
            settle(true);
        }
        require(machine.state() == State.TIME_WAIT && !machine.reset(), "no orderly end");
        end();
    }

    /** Why a connection may have ended early. */
    private void judge() {
        AbortReason reason = machine.abortReason();
        boolean offered = peer.sink.offers.misbehaved;
        boolean right =
                switch (reason) {
                    case NONE -> suspended && (suspending || vintage.is(Vintage.Habit.SUSPENDS));
                    case ANSWER_TIMEOUT ->
                            suspending
                                    && (vintage.is(Vintage.Habit.IGNORES_SUSPEND)
                                            || peer.starved());
                    case SUSPEND_UNSUPPORTED ->
                            vintage.is(Vintage.Habit.SUSPENDS) && !config.features().suspending();
                    case BAD_ADVERTISEMENT ->
                            (peer.source.misbehaved && vintage.is(Vintage.Habit.ZERO_LENGTH))
                                    || (offered && vintage.is(Vintage.Habit.OFFERS_TINY));
                    case TOO_MANY_ADVERTISEMENTS ->
                            offered && vintage.is(Vintage.Habit.OFFERS_TOO_MANY);
                    case ILLEGAL_IN_MODE -> offered && vintage.is(Vintage.Habit.OFFERS_UNASKED);
                    case PEER_RESET, TRANSPORT_ERROR ->
                            peer.source.misbehaved || peer.waitsForSuspension();
                    default -> false;
                };
        require(right, "ended for no reason");
    }

    /** Lets everything that can happen happen, the program reading, until nothing moves. */
    private void settle(boolean ending) {
        int rounds = 0;
        while (!machine.closed() && round(ending)) {
            require(++rounds < 20_000, "two idle peers never fall silent");
        }
    }

    private boolean round(boolean ending) {
        boolean moved = peer.land();
        moved |= poll();
        moved |= peer.repost();
        moved |= peer.answer();
        moved |= peer.source.sendOwed();
        moved |= peer.update();
        moved |= completeRdma();
        moved |= write(0);
        moved |= !uncompleted.isEmpty();
        completeSend();
        moved |= !unread.isEmpty();
        consume();
        moved |= ending && peer.source.fin();
        if (moved || machine.closed()) {
            return true;
        }
        if (machine.sink().offeredBytes() > 0) {
            if (choices.below(2) == 0 || !lendSink(1 + choices.below(200), true)) {
                event(() -> machine.sink().refuse(out));
            }
            return true;
        }
        boolean impatient = (timers & (1 << SdpMachine.TIMER_SRC_AVAIL)) != 0;
        if (impatient && !sources.isEmpty() && !peer.waitsForSuspension()) {
            fire(SdpMachine.TIMER_SRC_AVAIL); // a peer that never answers
            return true;
        }
        return false;
    }
}
