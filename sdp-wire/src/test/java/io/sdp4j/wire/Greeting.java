package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/** How the {@link MachinePair} comes to be connected, the first time and after a suspension. */
final class Greeting {
    private static final int PADDING = 24;

    private final MachinePair pair;
    private final Choices choices;
    private final boolean chooses;
    private final Side from;
    private final Side to;
    private int padding; // of the private data

    private Greeting(MachinePair pair, Side from) {
        this.pair = pair;
        this.choices = pair.choices;
        this.chooses = !pair.bounds.plain();
        this.from = from;
        this.to = from.peer;
    }

    /** The first connection of a session, which may fail at any step. */
    static void first(MachinePair pair) {
        Greeting greeting = new Greeting(pair, pair.a);
        greeting.prepare();
        int end = pair.faults.failures() && greeting.chooses ? pair.choose(100) : 0;
        if (greeting.exchange(end)) {
            greeting.establish();
        }
    }

    /** Another one, from the side that was told to. The shells say when it is up. */
    static void again(MachinePair pair, Side from) {
        Greeting greeting = new Greeting(pair, from);
        greeting.prepare();
        greeting.exchange(0);
    }

    private void prepare() {
        if (chooses) {
            int x = Starts.number(choices);
            int y = Starts.number(choices);
            from.machine.credits.startAt(x, y);
            to.machine.credits.startAt(y, x);
        }
        padding = chooses && choices.below(4) == 1 ? PADDING : 0;
    }

    private boolean exchange(int end) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);
        if (giveUp(end == 1, from)) {
            return false;
        }
        int n = from.machine.writeHello(bytes, 0);
        if (giveUp(end == 2, from)) {
            return false;
        }
        HelloFault fault = to.machine.onHello(bytes, 0, n + padding);
        pair.oracles.require(fault == HelloFault.NONE, "Hello refused");
        if (giveUp(end == 3, to)) {
            return false;
        }
        n = to.machine.writeHelloAck(bytes, 0);
        if (giveUp(end == 4, to) || giveUp(end == 5, from)) {
            return false;
        }
        fault = from.machine.onHelloAck(bytes, 0, n + padding);
        pair.oracles.require(fault == HelloFault.NONE, "HelloAck refused");
        if (giveUp(end == 6, from)) {
            return false;
        }
        pair.oracles.greeted();
        return true;
    }

    private void establish() {
        to.established = false;
        from.establish();
        if (!chooses || choices.below(2) == 0) {
            to.establish();
        }
        if (pair.faults.lending() && chooses && choices.below(3) == 0) { // SinkAvails need it
            from.event(() -> Rig.pipeline(from.machine, from.out));
            to.event(() -> Rig.pipeline(to.machine, to.out));
        }
    }

    /** Set-up ends here if it must: one side closes or fails, the other is told. */
    private boolean giveUp(boolean now, Side side) {
        if (now) {
            pair.rough();
            if (side.machine.state() == State.CLOSED || choices.below(2) == 0) {
                side.app.close(choices.below(2) == 0);
            } else {
                side.event(() -> side.machine.onQpError(side.out));
                side.dead = true;
            }
            Side other = side.peer;
            if (other.machine.state() == State.CLOSED) {
                other.app.close(false);
            } else {
                other.event(() -> other.machine.onDisconnected(other.out));
            }
        }
        return now;
    }
}
