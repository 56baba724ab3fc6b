package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * One side of the {@link MachinePair}: a real machine, the shell that carries out what it wants,
 * and the program that uses it.
 *
 * <p>Shape: a message is on the {@code wire}, then {@code landed} in a posted buffer of the peer,
 * then polled; its sender's completion waits in {@code sent}. Every call of the machine goes
 * through {@link #event}, and the oracles run after each.
 */
final class Side {
    /** A delivered message that the program has not read. */
    record Chunk(int slot, long at, int bytes) {}

    final MachinePair pair;
    final String name;
    SdpMachine machine; // of the connection in use
    final WireConfig config;
    final Bounds bounds;
    final Oracles oracles;
    final Application app;
    final ActionList out = new ActionList();
    final Deque<Integer> posted = new ArrayDeque<>();
    final Deque<Flight> wire = new ArrayDeque<>();
    final Deque<Flight> landed = new ArrayDeque<>();
    final Deque<Flight> sent = new ArrayDeque<>();
    final Deque<Chunk> unread = new ArrayDeque<>();
    final Lender lender;
    final SimulatedSession session;
    final long[] slotAt;
    private final Choices choices;
    private final Action header = new Action();
    private long sendAt; // position of the payload being sent
    Side peer;
    boolean established = true;
    boolean dead; // queue pair gone
    long written;
    int timers;
    int underway; // things the fabric has reported and the shell has not yet passed on

    Side(
            MachinePair pair,
            String name,
            SdpMachine machine,
            WireConfig config,
            Application.Style style,
            int writes) {
        this.pair = pair;
        this.name = name;
        this.machine = machine;
        this.config = config;
        this.bounds = pair.bounds;
        this.oracles = pair.oracles;
        this.choices = pair.choices;
        this.app = new Application(this, choices, style, writes);
        this.lender = new Lender(pair, this, choices);
        this.session = new SimulatedSession(pair, this, choices);
        this.slotAt = new long[config.receiveSlots()];
        postAll();
    }

    /** Posts every buffer. */
    void postAll() {
        posted.clear();
        for (int i = 0; i < config.receiveSlots(); i++) {
            posted.add(i);
        }
    }

    /** Whether the peer's program has read all we wrote, unless it does not want to. */
    boolean peerSees() {
        boolean all = lender.sources.isEmpty() && lender.pending.isEmpty();
        return peer.app.inShut || (all && peer.app.read == written);
    }

    /** Whether nothing is left to do, on this connection or on another. */
    boolean over() {
        return machine.closed() && !session.suspended();
    }

    /** Whether the stream was cut, or the session lost. */
    boolean reset() {
        return machine.reset() || session.lost();
    }

    /** Tells the machine something, carries out what it wants, and asks the oracles. */
    void event(Runnable event) {
        oracles.before(this);
        int useless = lender.useless();
        long returned = lender.sinksReturned();
        event.run();
        pair.trace(this);
        int woken = 0;
        boolean delivered = false;
        for (int i = 0; i < out.size(); i++) {
            if (out.row(i).kind == ActionList.WAKE) {
                woken |= out.row(i).flags;
            } else {
                delivered |= out.row(i).kind == ActionList.DELIVER;
                act(i);
            }
        }
        out.clear();
        if (delivered) {
            lender.delivered(useless, returned);
        }
        oracles.wakes(this, woken);
        app.woken(woken);
        oracles.afterEvent();
        if ((woken & ActionList.WRITABLE) != 0) {
            app.served();
        }
    }

    private void act(int i) {
        switch (out.row(i).kind) {
            case ActionList.SEND, ActionList.CONTROL, ActionList.SEND_LENT -> send(i);
            case ActionList.DELIVER -> deliver(i);
            case ActionList.REPOST -> posted.add(out.row(i).slot);
            case ActionList.ARM_TIMER -> timers |= 1 << out.row(i).timer;
            case ActionList.CANCEL_TIMER -> {
                oracles.require((timers & (1 << out.row(i).timer)) != 0, "cancels an idle timer");
                timers &= ~(1 << out.row(i).timer);
            }
            case ActionList.DISCONNECT -> hangUp(false);
            case ActionList.ABORT -> {
                pair.rough();
                drop(choices.below(wire.size() + 1));
                hangUp(choices.below(2) == 0);
                dead = true;
            }
            case ActionList.SUSPENDED -> session.begin(i);
            case ActionList.KEEP_ALIVE, ActionList.VIOLATION -> {}
            default -> lender.act(i);
        }
    }

    private void send(int i) {
        Flight message = new Flight();
        MemorySegment header = MemorySegment.ofArray(message.header);
        out.row(i).writeHeader(header, 0);
        message.byteLen = out.row(i).messageBytes();
        if (Bsdh.mid(out.row(i).first) == Mid.SINK_AVAIL) {
            lender.onOffered(out.row(i).rkey);
        }
        message.streamAt = sendAt;
        if (out.row(i).kind == ActionList.SEND) {
            lender.onSent(out.row(i).bytes);
        } else if (out.row(i).kind == ActionList.SEND_LENT) {
            message.streamAt = lender.positionOf(i);
        }
        boolean signalled = (out.row(i).flags & ActionList.SIGNALLED) != 0;
        message.tag = signalled ? Bsdh.mid(out.row(i).first) : 0;
        oracles.sends(this, header, message.byteLen, out.row(i).bytes > 0);
        oracles.solicits(this, header, out.row(i).flags);
        wire.add(message);
        oracles.sendDepth(this);
    }

    private void deliver(int i) {
        Chunk chunk = new Chunk(out.row(i).slot, slotAt[out.row(i).slot], out.row(i).bytes);
        oracles.delivers(this, out.row(i).offset, chunk.bytes());
        unread.add(chunk);
        app.delivered();
    }

    void hangUp(boolean failed) {
        Flight end = new Flight();
        end.hangUp = true;
        end.failed = failed;
        wire.add(end);
    }

    /** RDMA goes the way of the messages. */
    void transmit(Lender.Rdma rdma) {
        Flight flight = new Flight();
        flight.rdma = rdma;
        wire.add(flight);
    }

    /** Sends what the program has put into a slot. */
    void send(int bytes, boolean urgent) {
        sendAt = lender.sendPosition();
        event(
                () -> {
                    if (!urgent && shortWay(machine.messagesSent()) && sentStraight(bytes)) {
                        return;
                    }
                    boolean left = machine.send(0, bytes, urgent, out);
                    oracles.require(left == out.size() > 0, "send tells the wrong story");
                });
        session.onSent();
    }

    /** Every other event takes the short way if it can; the state afterwards is the same. */
    private static boolean shortWay(long number) {
        return (number & 1) == 0;
    }

    /** The short way makes no reservation. */
    private boolean sentStraight(int bytes) {
        machine.credits.reserved--;
        boolean sent = machine.bufferedCopy().send(bytes, 0, header);
        if (sent) {
            out.send(0, bytes, 0, header.first, header.second);
        } else {
            machine.credits.reserved++;
        }
        return sent;
    }

    private void receive(Flight message) {
        MemorySegment bytes = MemorySegment.ofArray(message.header);
        long first = Bsdh.first(bytes, 0);
        long second = Bsdh.second(bytes, 0);
        boolean straight = shortWay(machine.messagesReceived());
        int n = straight ? machine.bufferedCopy().receive(first, second, message.byteLen) : 0;
        if (n > 0) {
            out.deliver(message.slot, Bsdh.BYTES, n, 0);
        } else {
            machine.onReceived(
                    message.slot, first, second, bytes.asSlice(Bsdh.BYTES), message.byteLen, out);
        }
    }

    /** The program has read all of a slot. */
    void consume(int slot) {
        if (shortWay(slot) && machine.bufferedCopy().consumed()) {
            out.repost(slot);
        } else {
            machine.consumed(slot, out);
        }
    }

    /** The next {@code count} messages of the peer land in posted buffers. */
    boolean land(int count) {
        boolean moved = false;
        for (int i = 0; i < count && !peer.wire.isEmpty(); i++) {
            Flight message = peer.wire.remove();
            moved = true;
            if (dead) {
                continue;
            }
            if (message.rdma != null) {
                lender.land(message.rdma);
                continue;
            }
            if (!message.hangUp) {
                if (posted.isEmpty()) {
                    oracles.overrun(this);
                    fail();
                    return true;
                }
                message.slot = posted.remove();
                oracles.fits(this, message);
                slotAt[message.slot] = message.streamAt;
                if (!bounds.plain()
                        || message.tag != 0
                        || peer.config.sendDepth() != Integer.MAX_VALUE) {
                    peer.sent.add(message); // else its completion is not reported
                }
            }
            landed.add(message);
        }
        return moved;
    }

    /** Polls up to {@code count} receive completions. */
    boolean poll(int count) {
        boolean moved = false;
        for (int i = 0; i < count && !landed.isEmpty() && !dead; i++) {
            Flight message = landed.remove();
            moved = true;
            if (message.hangUp) {
                disconnected(message.failed);
            } else {
                MemorySegment header = MemorySegment.ofArray(message.header);
                oracles.hears(this, header, message.byteLen);
                event(() -> receive(message));
            }
        }
        return moved;
    }

    /** The connection below ended: our messages on the wire may or may not have landed. */
    private void disconnected(boolean failed) {
        if (machine.state() == State.ESTABLISHED && !machine.suspension.answered()) {
            pair.rough();
        }
        underway++;
        while (!sent.isEmpty() && choices.below(2) == 0) {
            completeSends(1);
        }
        underway--;
        dead = true;
        wire.clear();
        if (!peer.dead) { // the answer, or our own close that crossed
            hangUp(false);
        }
        event(
                () -> {
                    if (failed) {
                        machine.onQpError(out);
                    } else {
                        machine.onDisconnected(out);
                    }
                });
    }

    boolean completeSends(int count) {
        List<Flight> done = new ArrayList<>();
        while (done.size() < count && !sent.isEmpty()) {
            done.add(sent.remove());
        }
        if (done.isEmpty()) {
            return false;
        }
        underway += done.size();
        event(() -> machine.onSendsCompleted(done.size(), out));
        for (Flight message : done) {
            underway--;
            if (message.tag != 0) {
                event(() -> machine.onControlSent(message.tag, out));
            }
        }
        return true;
    }

    void establish() {
        established = true;
        event(() -> machine.onEstablished(out));
    }

    void fireTimer(int timer) {
        if ((timers & (1 << timer)) != 0) {
            if (timer != SdpMachine.TIMER_SRC_AVAIL) {
                pair.rough();
            }
            timers &= ~(1 << timer);
            event(() -> machine.onTimer(timer, out));
        } else if (choices.below(8) == 0) {
            event(() -> machine.onTimer(timer, out)); // stale: cancelled while it fired
        }
    }

    boolean fireAny() {
        for (int timer = 0; timer < SdpMachine.TIMERS; timer++) {
            if ((timers & (1 << timer)) != 0) {
                fireTimer(timer);
                return true;
            }
        }
        return false;
    }

    /** This side's queue pair breaks; the other side's finds out later. */
    void fail() {
        if (dead) {
            return;
        }
        pair.rough();
        drop(choices.below(wire.size() + 1));
        hangUp(true);
        dead = true;
        event(() -> machine.onQpError(out));
    }

    private void drop(int count) {
        for (int i = 0; i < count; i++) {
            wire.removeLast();
        }
    }

    /** One round of everything that needs no decision. */
    boolean progress(boolean reading) {
        boolean moved = false;
        if (!established) {
            establish();
            moved = true;
        }
        if (app.reserved()) {
            app.fill();
            moved = true;
        }
        moved |= land(Integer.MAX_VALUE);
        moved |= poll(Integer.MAX_VALUE);
        moved |= reading && app.read(Integer.MAX_VALUE);
        moved |= completeSends(Integer.MAX_VALUE);
        moved |= lender.progress(reading);
        return moved;
    }

    /** Messages on the way to the peer, the end of the wire not counted. */
    static int messages(Deque<Flight> queue) {
        int count = 0;
        for (Flight flight : queue) {
            count += flight.message() ? 1 : 0;
        }
        return count;
    }

    /** All that decides what this side can still do; slots are interchangeable. */
    void fingerprint(Fingerprint print) {
        print.add(written).add(established).add(dead).flights(wire);
        if (machine.closed()) { // the rest is history
            print.add(machine.state().name().hashCode()).add(machine.eof());
            print.add(machine.abortReason().name().hashCode());
        } else {
            print.machine(machine).add(posted.size()).add(timers).flights(landed).flights(sent);
        }
        print.add(unread.size());
        for (Chunk chunk : unread) {
            print.add(chunk.at()).add(chunk.bytes());
        }
        app.fingerprint(print);
        session.fingerprint(print);
        lender.fingerprint(print);
    }

    @Override
    public String toString() {
        return String.format(
                "%s: %s %s, credit %d reserved %d posted %d known %d, %s, wrote %d, wire %d,"
                        + " landed %d, uncompleted %d, unread %d, timers %d, dead %b, program %s%s%s",
                name,
                machine.state(),
                machine.abortReason(),
                machine.credit(),
                machine.credits.reserved,
                machine.credits.posted(),
                machine.credits.known(),
                config,
                written,
                wire.size(),
                landed.size(),
                sent.size(),
                unread.size(),
                timers,
                dead,
                app,
                session,
                lender);
    }
}
