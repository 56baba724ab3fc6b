package io.sdp4j.stream;

import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.wire.SdpMachine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The parts of one stream, and what becomes of them without the application: timers, the doorbell,
 * quiet times, a rest and its end, the release.
 *
 * <p>Called on the event thread, {@link #move} by the application, {@link #resume} on a thread that
 * has connected. All methods but {@link #onRest} take the lock themselves and carry out wake-ups
 * after it was left.
 */
final class StreamLife {
    final StreamCore core;
    final StreamWatch watch;
    final Waiters waiters;
    final StreamReader reader;
    final Ending ending;
    private final StreamContext context;
    private final Fabric fabric;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;

    /** There may be something to give back again. */
    private final Runnable onUse = this::watchQuiet;

    /** Where the peer is asked to follow to; null = nowhere. Guarded by the lock. */
    private Relocation relocation;

    StreamLife(
            SdpMachine machine,
            QueuePair qp,
            StreamContext context,
            Fabric fabric,
            InetSocketAddress local,
            InetSocketAddress remote) {
        this.context = context;
        this.fabric = fabric;
        this.local = local;
        this.remote = remote;
        StreamSettings settings = context.settings().over(fabric.capabilities());
        core =
                new StreamCore(
                        machine,
                        qp,
                        settings,
                        fabric.capabilities(),
                        context.loop(),
                        this::onTimer,
                        what ->
                                context.complaints()
                                        .add(
                                                peer(qp, remote),
                                                "broke the protocol ("
                                                        + what
                                                        + "), connection cut"),
                        this::onRest,
                        this::releaseIfClosed);
        watch = new StreamWatch(core, this::onDoorbell);
        waiters = new Waiters(qp.completions(), watch, context.loop());
        ending = new Ending(core);
        reader = new StreamReader(core, waiters, ending);
        watch.begin(waiters);
        core.inbox.begin(reader);
        qp.completions().onDoorbell(this::onDoorbell);
    }

    private static String peer(QueuePair qp, InetSocketAddress remote) {
        String named = qp.peer();
        return named != null ? named : remote.getAddress().getHostAddress();
    }

    String fabricName() {
        return fabric.name();
    }

    InetSocketAddress local() {
        return local;
    }

    InetSocketAddress remote() {
        return remote;
    }

    /** Something completed that somebody was to be told of. */
    void onDoorbell() {
        try {
            if (watch.onDoorbell()) {
                releaseIfClosed();
            }
        } catch (InternalError e) {
            cut();
        }
    }

    private void onTimer(int timer) {
        try {
            runTimer(timer);
        } catch (InternalError e) {
            cut();
        }
    }

    /** The memory of the connection is gone, or what happened must not happen again. */
    void cut() {
        int wake;
        synchronized (core) {
            if (core.released()) {
                return;
            }
            core.cut();
            wake = core.takeWakeOps();
        }
        waiters.signal(wake);
        releaseIfClosed();
    }

    private void runTimer(int timer) {
        int wake;
        synchronized (core) {
            if (core.released()) {
                return;
            }
            core.onTimer(timer);
            wake = core.takeWakeOps();
        }
        waiters.signal(wake);
        releaseIfClosed();
    }

    /** With the lock. */
    private void watchQuiet() {
        watch.stir();
        context.quiet().add(this);
    }

    /**
     * From time to time, until there is nothing left to do: gives back what a quiet stream does not
     * need. Ends the looks itself, because it may have to begin them again once the lock is free.
     *
     * @return whether the stream was used since the last look
     */
    boolean onLook() {
        boolean quiet;
        int wake;
        List<QueuePair> left;
        synchronized (core) {
            if (core.released()) {
                context.quiet().remove(this);
                return false;
            }
            if (core.queue.ready()) {
                core.progress(); // a question of the peer's, perhaps, that nobody was woken for
            }
            quiet = core.sizes.quiet();
            left = takeLeft();
            if (quiet && rest()) {
                context.quiet().remove(this);
            }
            wake = core.takeWakeOps();
        }
        left.forEach(QueuePair::close);
        waiters.signal(wake);
        return !quiet;
    }

    /** With the lock: gives back what it can; false if more may be left. */
    private boolean rest() {
        reader.giveBackIfRead();
        boolean lent =
                core.lending != null && core.lending.writes().active(); // answers take memory
        boolean given = core.sizes.rest(onUse);
        boolean all = reader.rest(onUse) && given && !lent && core.legs.alone();
        return all && watch.rest(onUse);
    }

    private List<QueuePair> takeLeft() {
        return waiters.sleepsElsewhere() ? List.of() : core.legs.takeLeft();
    }

    /** See {@link io.sdp4j.offload.spi.OffloadStream#move}. */
    boolean move() throws IOException {
        Relocation place = Relocation.open(this, context, fabric, local, remote);
        boolean asked = false;
        int wake;
        synchronized (core) {
            if (relocation == null && !core.legs.full()) {
                relocation = place; // before the answer can come
                asked = core.rest.ask(place.port());
                relocation = asked ? place : null;
                watch.lookAfterItself();
            }
            wake = core.takeWakeOps();
        }
        waiters.signal(wake);
        if (!asked) {
            place.end();
        }
        return asked;
    }

    /** The port that the peer is asked to follow to, 0 = none. */
    int movingTo() {
        synchronized (core) {
            return relocation == null ? 0 : relocation.port();
        }
    }

    /** With the lock: the session is suspended, to be resumed at {@code port} of one side. */
    private void onRest(int port) {
        if (core.legs.full()) {
            List<QueuePair> left = takeLeft();
            core.later(() -> left.forEach(QueuePair::close));
        }
        if (core.legs.full()) {
            core.rest.giveUp("what came before has not been read yet");
        } else if (core.machine.suspendedByPeer()) {
            InetSocketAddress to = new InetSocketAddress(remote.getAddress(), port);
            new Resumption(this, context, fabric, local, to).begin();
        } else {
            relocation.begin();
        }
    }

    /** Whether the session may still rest, and go on afterwards. */
    boolean alive() {
        synchronized (core) {
            return !core.released() && !core.reset();
        }
    }

    boolean released() {
        synchronized (core) {
            return core.released();
        }
    }

    boolean resting() {
        synchronized (core) {
            return core.rest.resting();
        }
    }

    /**
     * The peer was found, or has come: goes on over another connection, unless that is too late.
     */
    void resume(SdpMachine machine, QueuePair qp) {
        CompletionQueue before;
        Relocation left;
        int wake;
        synchronized (core) {
            if (!core.rest.resting()) {
                qp.abort();
                qp.close();
                return;
            }
            before = core.queue;
            boolean follows = core.machine.suspendedByPeer();
            qp.completions().onDoorbell(this::onDoorbell);
            core.resume(machine, qp);
            watchQuiet(); // this one has given nothing back yet
            waiters.moveTo(core.queue);
            left = relocation;
            if (left != null && follows && core.rest.ask(left.port())) {
                left = null; // both had asked: the peer's wish came first
            } else {
                relocation = null;
            }
            watch.lookAfterItself();
            wake = core.takeWakeOps();
        }
        if (left != null) {
            left.end();
        }
        before.wake();
        waiters.signal(wake);
        releaseIfClosed();
    }

    /** The peer was not found in time. */
    void giveUpRest(String why) {
        int wake;
        synchronized (core) {
            core.rest.giveUp(why);
            wake = core.takeWakeOps();
        }
        waiters.signal(wake);
        releaseIfClosed();
    }

    /** Releases everything when the application has closed and nothing is left to do. */
    void releaseIfClosed() {
        List<QueuePair> all;
        Relocation left;
        synchronized (core) {
            if (core.released() || !watch.closing() || !core.over()) {
                return;
            }
            core.release();
            all = core.legs.takeAll();
            left = relocation;
        }
        all.forEach(QueuePair::close);
        if (left != null) {
            left.end();
        }
    }
}
