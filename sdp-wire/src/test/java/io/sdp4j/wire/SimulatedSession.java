package io.sdp4j.wire;

import java.util.Deque;

/**
 * The session of one side of the {@link MachinePair}, beyond its connection: the state that the
 * shell keeps from one connection for the next (docs/protocol.md 10).
 *
 * <p>Shape: <em>suspended</em> from SUSPENDED until both are suspended; then the side that was told
 * to connects to the other, with machines, counters and buffers that are new on both sides.
 * Delivered bytes stay with the program; those that came back unsent are sent first; a half that
 * the program has ended is ended again. A session that cannot be resumed is lost.
 */
final class SimulatedSession {
    private final MachinePair pair;
    private final Side side;
    private final Choices choices;
    private final int port; // at which this side would be found
    private int asks;
    private boolean asked; // and not granted yet
    private boolean suspended;
    private boolean lost;
    private boolean owing; // bytes that came back, before what the program has ended can be said
    private boolean unread; // when the program closed
    private boolean abortive;

    SimulatedSession(MachinePair pair, Side side, Choices choices) {
        this.pair = pair;
        this.side = side;
        this.choices = choices;
        this.port = side.name.charAt(0);
    }

    boolean suspended() {
        return suspended;
    }

    /** Whether the session did not come back. */
    boolean lost() {
        return lost;
    }

    /** Whether bytes are to be sent although the program has ended its output, or closed. */
    boolean owing() {
        return owing;
    }

    boolean canAsk() {
        boolean often = side.bounds.plain() && asks >= side.bounds.suspensions();
        return pair.faults.suspended() && !side.machine.closed() && !often;
    }

    void ask() {
        asks++;
        side.event(() -> asked |= side.machine.suspend(port, side.out));
    }

    /** The machine is suspended: action {@code i} says so. */
    void begin(int i) {
        boolean follows = side.machine.suspendedByPeer();
        pair.oracles.require(!suspended && !side.app.reserved(), side, "must not be suspended now");
        int expected = follows ? side.peer.session.port : port;
        boolean right = side.out.row(i).port == expected && (follows || asked);
        pair.oracles.require(right || pair.lied(), side, "is to be found elsewhere");
        suspended = true;
        asked &= follows;
        for (int n = side.unread.size(); n > 0; n--) { // it needs none of the slots any more
            Side.Chunk chunk = side.unread.remove();
            side.unread.add(new Side.Chunk(-1, chunk.at(), chunk.bytes()));
        }
        if (!follows && !side.bounds.plain() && choices.below(2) == 0) {
            side.hangUp(choices.below(4) == 0); // the connection is not needed any more
        }
    }

    void onClose(boolean dataUnread, boolean cut) {
        unread = dataUnread;
        abortive = cut;
    }

    /** Payload has left. */
    void onSent() {
        if (owing) {
            end();
        }
    }

    /** Goes on, if both sides are suspended; gives up, if the other cannot. */
    static boolean progress(MachinePair pair) {
        SimulatedSession a = pair.a.session;
        SimulatedSession b = pair.b.session;
        if (a.suspended && b.suspended) {
            resume(pair);
            return true;
        }
        return a.giveUpAlone() || b.giveUpAlone();
    }

    private boolean giveUpAlone() {
        boolean alone = suspended && side.peer.machine.closed();
        if (alone) {
            pair.oracles.require(pair.unsafe(), side, "suspended, and its peer is gone");
            lose();
        }
        return alone;
    }

    private void lose() {
        pair.rough();
        suspended = false;
        lost = true;
        side.app.woken(ActionList.READABLE | ActionList.WRITABLE);
    }

    private static void resume(MachinePair pair) {
        boolean first = pair.a.machine.suspendedByPeer();
        boolean agreed = first != pair.b.machine.suspendedByPeer();
        pair.oracles.require(agreed || pair.lied(), "neither side connects, or both");
        if (!agreed || (pair.faults.failures() && !pair.bounds.plain() && pair.choose(8) == 0)) {
            pair.a.session.lose();
            pair.b.session.lose();
            return;
        }
        Side from = first ? pair.a : pair.b;
        from.session.renew(SdpMachine.connecting(from.config));
        from.peer.session.renew(SdpMachine.accepting(from.peer.config));
        pair.resumed++;
        Greeting.again(pair, from);
        from.session.goOn();
        from.peer.session.goOn();
    }

    /** Another connection: nothing is left of the last one but what the program has. */
    private void renew(SdpMachine machine) {
        boolean silent = silent(side.wire) && silent(side.landed) && side.underway == 0;
        pair.oracles.require(silent || pair.unsafe(), side, "has said more than its last word");
        side.machine = machine;
        side.wire.clear();
        side.landed.clear();
        side.sent.clear();
        side.postAll();
        side.lender.renew();
        side.dead = false;
        side.established = false;
        suspended = false;
    }

    /** Whether nothing but credit updates is on its way. */
    private static boolean silent(Deque<Flight> queue) {
        for (Flight flight : queue) {
            boolean update = flight.header[0] == (byte) Mid.DATA && flight.byteLen == Bsdh.BYTES;
            if (flight.rdma != null || (flight.message() && !update)) {
                return false;
            }
        }
        return true;
    }

    /** The new connection is up: says there what it must know before anything happens. */
    private void goOn() {
        side.event(() -> side.machine.onEstablished(side.out));
        if (side.app.inShut) {
            side.event(() -> side.machine.shutdownInput(side.out));
        }
        end();
        if (asked) { // the peer's wish came first
            asked = false;
            ask();
        }
        side.established = true;
        side.app.woken(ActionList.READABLE | ActionList.WRITABLE);
    }

    /** Says what the program has ended. */
    private void end() {
        boolean cut = side.app.closed && (unread || abortive);
        owing = side.app.outShut && !side.lender.pending.isEmpty() && !cut;
        if (owing) {
            return;
        }
        if (side.app.closed) {
            side.event(() -> side.machine.close(unread, abortive, side.out));
        } else if (side.app.outShut) {
            side.event(() -> side.machine.shutdownOutput(side.out));
        }
    }

    void fingerprint(Fingerprint print) {
        if (!pair.faults.suspended()) {
            return; // how a program closed is history
        }
        print.add(side.machine.suspendedByPeer());
        print.add(asks).add(asked).add(suspended).add(lost).add(owing).add(unread).add(abortive);
    }

    @Override
    public String toString() {
        return (asked ? ", wants to suspend" : "")
                + (suspended ? ", suspended" : "")
                + (lost ? ", lost" : "");
    }
}
