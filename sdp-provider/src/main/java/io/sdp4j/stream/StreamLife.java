package io.sdp4j.stream;

import io.sdp4j.fabric.Capabilities;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.wire.Violation;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The parts of one stream, and what happens to them without the application: timers, notifications,
 * idle times, a suspension and its end, the release.
 *
 * <p>Most methods run on the event thread. The application calls {@link #migrate}, a thread that
 * has connected calls {@link #resume}, and a shutdown hook {@link #flush} and {@link #endWithJvm}.
 * Methods take the lock themselves, unless they say or assert that it is held, and carry out
 * wake-ups after they have left it.
 */
final class StreamLife {
    final StreamCore core;
    final StreamReadiness readiness;
    final BlockedThreads blocked;
    final StreamReader reader;
    final StreamErrors errors;
    final Fabric fabric;
    final InetSocketAddress local;
    final InetSocketAddress remote;
    private final StreamContext context;

    /** There may be something to give back again. */
    private final Runnable onUse = this::watchQuiet;

    /** Where the peer is asked to reconnect; null = it is not asked. Guarded by the lock. */
    MigrationListener migration;

    StreamLife(Established open, StreamContext context, Fabric fabric) {
        this.context = context;
        this.fabric = fabric;
        this.local = open.local();
        this.remote = open.remote();
        Capabilities can = fabric.capabilities();
        StreamSettings settings = context.settings().over(can);
        core = new StreamCore(open, new Name(local, remote), settings, can, context.loop(), this);
        readiness = new StreamReadiness(core);
        blocked = new BlockedThreads(core.queue, readiness, context.loop());
        errors = new StreamErrors(core);
        reader = new StreamReader(core, blocked, errors);
        readiness.begin(blocked);
        core.inbox.begin(reader);
    }

    private record Name(InetSocketAddress local, InetSocketAddress remote) {
        @Override
        public String toString() {
            return "connection from " + local + " to " + remote;
        }
    }

    /** From here on the stream looks after itself. */
    void begin() {
        core.queue.onNotify(this::onNotify);
        if (fabric.endsWithProcess()) {
            context.atExit().add(this);
        }
        context.trimmer().add(this);
    }

    /** With the lock: the peer broke the protocol. */
    void onViolation(Violation violation) {
        complain("broke the protocol (" + violation + "), connection cut");
    }

    /** Tells the operator of the peer, in a bounded number of log lines. */
    private void complain(String what) {
        assert Thread.holdsLock(core);
        String named = core.qp.peer();
        context.complaints()
                .add(named != null ? named : remote.getAddress().getHostAddress(), what);
    }

    /** Called for a completion that was asked for. */
    void onNotify() {
        if (readiness.onNotify()) {
            releaseIfClosed();
        }
    }

    /** Cuts the connection: a failure of the stream must not happen again. */
    void cut() {
        readiness.change(core.end::cut);
        releaseIfClosed();
    }

    /** The time of a timer of the machine's is over. */
    void onTimer(int timer) {
        readiness.change(() -> core.onTimer(timer));
        releaseIfClosed();
    }

    void onKeepAlive() {
        readiness.change(core.keepAlive::onTime);
    }

    /** With the lock. */
    private void watchQuiet() {
        assert Thread.holdsLock(core);
        readiness.stir();
        context.trimmer().add(this);
    }

    /**
     * Called from time to time while there may be something to give back: gives back what a quiet
     * stream does not need. Ends these calls itself, with the lock, because a use of the stream may
     * begin them again once the lock is free.
     *
     * @return whether the stream was used since the last look
     */
    boolean onLook() {
        boolean quiet;
        int wake;
        List<QueuePair> left;
        synchronized (core) {
            if (core.released()) {
                context.trimmer().remove(this);
                return false;
            }
            core.enter();
            if (core.queue.ready()) {
                core.progress(); // perhaps a request of the peer's that no thread was woken for
            }
            quiet = core.quiet();
            left = takeLeft();
            if (quiet && trim()) {
                context.trimmer().remove(this);
            }
            wake = core.takeWakeOps();
        }
        left.forEach(QueuePair::close);
        blocked.signal(wake);
        return !quiet;
    }

    /** With the lock: gives back what it can; false if more may be left. */
    private boolean trim() {
        assert Thread.holdsLock(core);
        boolean lent =
                core.lending != null && core.lending.writes().active(); // answers take memory
        boolean given = core.qp.trim(onUse);
        boolean all = reader.trim(onUse) && given && !lent && core.qps.alone();
        return all && readiness.trim(onUse);
    }

    private List<QueuePair> takeLeft() {
        assert Thread.holdsLock(core);
        if (blocked.sleepsElsewhere()) {
            return List.of();
        }
        if (reader.idle()) {
            core.qps.leaveRead(); // the application may never read
        }
        return core.qps.takeLeft();
    }

    /** See {@link io.sdp4j.offload.spi.OffloadStream#migrate}. */
    boolean migrate() throws IOException {
        if (!fabric.capabilities().reachesOtherHosts()) {
            return false; // there is no other device to go to
        }
        MigrationListener place = MigrationListener.open(this, context, fabric, local, remote);
        makeRoom();
        boolean asked = false;
        int wake;
        synchronized (core) {
            core.enter();
            if (migration == null && !core.qps.full()) {
                migration = place; // before the answer can come
                asked = core.suspension.ask(place.port());
                migration = asked ? place : null;
                readiness.lookAfterItself();
            }
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        if (!asked) {
            place.end();
        }
        return asked;
    }

    /**
     * With the lock: the session is suspended, to be resumed at {@code port} of the side that
     * asked.
     */
    void onSuspended(int port) {
        assert Thread.holdsLock(core);
        if (core.machine.suspendedByPeer()) {
            InetSocketAddress to = new InetSocketAddress(remote.getAddress(), port);
            new SessionReconnect(this, context, fabric, local, to).begin();
        } else {
            migration.begin();
        }
    }

    /**
     * Closes connections that were read to their ends, if there are too many for another one.
     *
     * @return false if a reader must first catch up, or leave the one that it waits in
     */
    boolean makeRoom() {
        List<QueuePair> left;
        boolean room;
        synchronized (core) {
            left = core.qps.full() ? takeLeft() : List.of();
            room = !core.qps.full();
        }
        left.forEach(QueuePair::close);
        return room;
    }

    /** Whether the session may still be suspended, and go on afterwards. */
    boolean alive() {
        synchronized (core) {
            return !core.released() && !core.end.reset();
        }
    }

    boolean released() {
        synchronized (core) {
            return core.released();
        }
    }

    boolean suspended() {
        synchronized (core) {
            return core.suspension.suspended();
        }
    }

    /**
     * The peer was found, or has come: goes on over another connection, unless that is too late.
     */
    void resume(Established open) {
        CompletionQueue before;
        MigrationListener left;
        int wake;
        synchronized (core) {
            if (!core.suspension.suspended()) {
                open.abort();
                return;
            }
            core.enter();
            before = core.queue;
            boolean follows = core.machine.suspendedByPeer();
            open.qp().completions().onNotify(this::onNotify);
            core.resume(open);
            watchQuiet(); // this one has given nothing back yet
            blocked.moveTo(core.queue);
            left = migration;
            if (left != null && follows && core.suspension.ask(left.port())) {
                left = null; // both had asked: the peer's wish came first
            } else {
                migration = null;
            }
            readiness.lookAfterItself();
            wake = core.takeWakeOps();
        }
        if (left != null) {
            left.end();
        }
        before.wake();
        blocked.signal(wake);
        releaseIfClosed();
    }

    /** The peer was not found in time. */
    void giveUpResume(String why) {
        readiness.change(
                () -> {
                    if (core.suspension.giveUp()) {
                        complain("did not get a suspended session back: " + core.name + ": " + why);
                    }
                });
        releaseIfClosed();
    }

    /** The JVM is about to end: sends what was gathered. */
    void flush() {
        lastWords(core.coalescer::flush);
    }

    /** The JVM ends: as {@link #flush}, and ends the output if all was read and written. */
    void endWithJvm() {
        lastWords(() -> core.end.withJvm(reader.unread() > 0));
    }

    private void lastWords(Runnable words) {
        readiness.change(
                () -> {
                    if (!core.suspension.suspended()) {
                        core.progress();
                        words.run();
                        // what comes before has come when it has
                        core.qp.postProbe(KeepAlive.PROBE);
                    }
                });
    }

    /** Whether nothing waits here to be sent, or nothing will be. */
    boolean drained() {
        boolean drained;
        int wake;
        synchronized (core) {
            core.enter();
            if (!core.released()) {
                core.progress();
            }
            drained = core.released() || core.suspension.suspended() || core.end.drained();
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        return drained;
    }

    /** Releases everything when the application has closed and nothing is left to do. */
    void releaseIfClosed() {
        List<QueuePair> all;
        MigrationListener left;
        synchronized (core) {
            if (core.released() || !core.end.closing() || !core.end.over()) {
                return;
            }
            core.release();
            all = core.qps.takeAll();
            left = migration;
        }
        context.atExit().remove(this);
        all.forEach(QueuePair::close);
        if (left != null) {
            left.end();
        }
    }
}
