package io.sdp4j.offload.nio;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.KernelSockets;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.ConnectThreads;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.net.SourceAddressSelection;
import io.sdp4j.policy.Decision;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import sun.nio.ch.ConnectionChannel;
import sun.nio.ch.ConnectionSwitch;
import sun.nio.ch.EarlyConnection;

/**
 * How one channel gets its connection.
 *
 * <p>States: UNDECIDED, the kernel's channel does everything; TRYING, an offload attempt runs, on
 * the connecting thread or, for a non-blocking channel, on one of {@link ConnectThreads}. Then
 * KERNEL, the last state unless the connection moves (OFFLOADED); or CONNECTABLE, offloaded, but
 * {@code finishConnect} was not called, and after it OFFLOADED; or FAILED, {@code finishConnect}
 * will say why. The channel's state lock guards the state, which is read without it. While TRYING,
 * selectors do not look at the channel, not even those that registered it before; when TRYING ends,
 * each is made to ask for the interest again.
 */
final class ChannelConnect {
    private enum State {
        UNDECIDED,
        TRYING,
        CONNECTABLE,
        FAILED,
        OFFLOADED,
        KERNEL
    }

    private final SwitchedConnection connection;
    private final ConnectionChannel channel;
    private final OffloadSwitch owner;
    private final ProtocolFamily family;
    private final boolean kernelOnly = KernelSockets.active();
    private final KnownSelectors selectors;
    private final HeldPort port;

    private volatile State state; // set under stateLock
    private MovingChannel young; // stateLock: the kernel's connection, if it may move
    private Attempt why; // stateLock: why the kernel carries it; null until that is known
    private boolean counted; // stateLock: the kernel has connected
    private InetSocketAddress target; // stateLock: of an attempt
    private IOException failure; // stateLock: for FAILED

    /**
     * Whether the peer may have accepted already; null until the peer was asked, and after TRYING.
     */
    private volatile BooleanSupplier answered;

    ChannelConnect(SwitchedConnection connection, ProtocolFamily family, boolean byProvider) {
        this.connection = connection;
        this.channel = connection.channel;
        this.owner = connection.provider.owner;
        this.family = family;
        this.selectors = connection.selectorSide.selectors;
        this.port = connection.port;
        this.state = byProvider ? State.OFFLOADED : State.UNDECIDED;
    }

    boolean trying() {
        return state == State.TRYING;
    }

    boolean connectable() {
        return state == State.CONNECTABLE;
    }

    /** Whether reads and writes go to the stream, or did until it was closed. */
    boolean offloaded() {
        return state == State.OFFLOADED;
    }

    /** Whether {@code finishConnect} has something to wait for or to say. */
    boolean pending() {
        return pendingOffload() || channel.kernelConnecting();
    }

    boolean pendingOffload() {
        State now = state;
        return now == State.TRYING || now == State.CONNECTABLE || now == State.FAILED;
    }

    /** Returns the destination of an attempt that is not over, or null. */
    InetSocketAddress target() {
        synchronized (connection.stateLock) {
            return pendingOffload() ? target : null;
        }
    }

    /** Goes on with a channel that was made before the switch. */
    void after(EarlyConnection early) {
        port.asked(early.asked());
        selectors.mayBePolled();
    }

    /**
     * Notes that the connection is up and counted: it was accepted, or connected by TCP before
     * there was a switch.
     */
    void connectedBefore(Attempt why, MovingChannel mayMove) {
        synchronized (connection.stateLock) {
            this.why = why;
            counted = true;
            young = mayMove;
            state = State.KERNEL;
        }
    }

    /** Notes the reason, counted already, why a connection that is up stays with the kernel. */
    void becomes(Attempt attempt) {
        synchronized (connection.stateLock) {
            why = attempt;
        }
    }

    /** Returns why the kernel carries the connection; empty unless that is up. */
    Optional<ConnectionInfo> info() {
        synchronized (connection.stateLock) {
            return counted ? Optional.of(why.kernelInfo()) : Optional.empty();
        }
    }

    /** Notes that the kernel's connection has moved onto a stream. Called under the state lock. */
    void moved() {
        move(State.OFFLOADED);
    }

    /** Whether the kernel carries the connection, or a direction of it that has not moved. */
    boolean onKernel() {
        return state == State.KERNEL;
    }

    void bind(SocketAddress address) throws IOException {
        boolean _ =
                connection.alone(
                        () -> {
                            mayBind();
                            port.bind(address);
                            return true;
                        });
    }

    private void mayBind() {
        synchronized (connection.stateLock) {
            if (pendingOffload()) {
                throw new ConnectionPendingException();
            }
            if (offloaded() && channel.isOpen()) {
                throw new AlreadyBoundException();
            }
        }
    }

    /** See {@link ConnectionSwitch#connect}. */
    boolean connect(SocketAddress remote, long nanos) throws IOException {
        InetSocketAddress resolved = resolved(remote);
        return orClose(() -> connectLocked(remote, resolved, nanos));
    }

    /** Runs {@code step} alone, and closes the channel if the step fails. */
    private boolean orClose(SwitchedConnection.Step step) throws IOException {
        try {
            return connection.alone(step);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private boolean connectLocked(SocketAddress remote, InetSocketAddress resolved, long nanos)
            throws IOException {
        if (nanos >= 0 && !channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        State now = state;
        if (now == State.OFFLOADED && channel.isOpen()) {
            channel.closeIfInterrupted();
            throw new AlreadyConnectedException();
        }
        if (pendingOffload() && channel.isOpen()) {
            channel.closeIfInterrupted();
            throw new ConnectionPendingException();
        }
        if (now != State.UNDECIDED || resolved == null || !channel.isOpen()) {
            return connectKernel(remote, nanos); // the kernel says what is wrong
        }
        Decision decision = owner.policy().decide(port.asked(), resolved);
        boolean mayMove = !kernelOnly && owner.beginsOnKernel(decision, resolved);
        Attempt settled =
                kernelOnly
                        ? OffloadSwitch.IN_SCOPE
                        : mayMove ? OffloadSwitch.YOUNG : owner.settled(decision, resolved);
        if (settled != null) {
            settleOnKernel(settled);
            if (mayMove) {
                MovingChannel moving = connection.young(decision, null, settled);
                synchronized (connection.stateLock) {
                    young = moving;
                }
            }
            return connectKernel(remote, nanos);
        }
        boolean blocking = channel.isBlocking();
        boolean begun;
        synchronized (connection.stateLock) {
            target = resolved;
            // The thread first: selectors do not hear of an attempt that gets none.
            begun = blocking || ConnectThreads.start(() -> tryBehind(remote, decision));
            if (begun) {
                state = State.TRYING;
            }
        }
        if (!begun) {
            settleOnKernel(owner.withoutThread(decision, resolved));
            return connectKernel(remote, nanos);
        }
        if (blocking) {
            return tryBlocking(remote, decision, nanos);
        }
        selectors.quiet();
        return false;
    }

    /**
     * Returns the address that the kernel would connect to, or null if the kernel will complain.
     */
    private InetSocketAddress resolved(SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress given) || given.isUnresolved()) {
            return null;
        }
        InetAddress address = given.getAddress();
        if (address instanceof Inet6Address && family == StandardProtocolFamily.INET) {
            return null;
        }
        return SourceAddressSelection.reachable(given);
    }

    private boolean tryBlocking(SocketAddress remote, Decision decision, long nanos)
            throws IOException {
        long startNanos = System.nanoTime();
        Attempt attempt = null;
        boolean offloaded = false;
        try {
            channel.enter(true);
            try {
                attempt =
                        owner.connect(
                                decision,
                                target,
                                port.towards(target),
                                startNanos,
                                nanos < 0 ? Long.MAX_VALUE : nanos,
                                this::closed,
                                _ -> {});
                offloaded = attempt.stream() != null && connection.adopt(attempt.stream());
                if (offloaded) {
                    port.take(selectors.polled());
                    move(State.OFFLOADED);
                }
            } finally {
                channel.leave(true, offloaded);
            }
        } finally {
            if (!offloaded) {
                port.giveBack();
                move(State.UNDECIDED); // only the kernel's channel is asked from here on
            }
        }
        if (offloaded) {
            return true;
        }
        settleOnKernel(attempt);
        long leftNanos = nanos;
        if (nanos >= 0 && nanos != Long.MAX_VALUE) {
            // At least 1: a failure that the kernel knows at once goes before a time-out.
            leftNanos = Math.max(1, nanos - (System.nanoTime() - startNanos));
        }
        return connectKernel(remote, leftNanos);
    }

    /** Tries for a non-blocking channel. Runs on one of {@link ConnectThreads}. */
    private void tryBehind(SocketAddress remote, Decision decision) {
        InetSocketAddress to = target(); // takes the lock, so TRYING is set afterwards
        IOException failed = null;
        State next = State.FAILED;
        try {
            Attempt attempt =
                    owner.connect(
                            decision,
                            to,
                            port.towards(to),
                            System.nanoTime(),
                            Long.MAX_VALUE,
                            this::closed,
                            asked -> answered = asked);
            if (attempt.stream() == null) {
                port.giveBack();
                synchronized (connection.stateLock) {
                    why = attempt;
                }
                port.checkRoute(to);
                answered = () -> true; // the kernel may connect before the state says KERNEL
                boolean _ = channel.connectKernel(remote, -1);
                next = State.KERNEL;
            } else if (connection.adopt(attempt.stream())) {
                next = State.CONNECTABLE;
            }
        } catch (IOException e) {
            failed = e;
        } catch (RuntimeException | Error e) { // closed, or a fault that finishConnect must throw
            failed = failure(e);
        }
        if (next == State.FAILED) {
            port.giveBack();
        }
        synchronized (connection.stateLock) {
            failure = failed;
            state = next;
            answered = null;
            connection.stateLock.notifyAll();
        }
        if (!channel.isOpen()) {
            port.giveBack();
        }
        selectors.nudge();
    }

    /** Returns a failure to throw; null if no memory is left for one. */
    private static IOException failure(Throwable cause) {
        try {
            return (IOException) new ConnectException(cause.toString()).initCause(cause);
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    private boolean closed() {
        return !channel.isOpen();
    }

    private void move(State next) {
        synchronized (connection.stateLock) {
            state = next;
            if (next == State.OFFLOADED) {
                channel.carriedBy(connection.stream);
            }
        }
    }

    private void settleOnKernel(Attempt attempt) {
        synchronized (connection.stateLock) {
            why = attempt;
            state = State.KERNEL;
        }
    }

    private boolean connectKernel(SocketAddress remote, long nanos) throws IOException {
        boolean done = channel.connectKernel(remote, nanos);
        if (done) {
            countKernel();
        }
        return done;
    }

    /** Counts the connection, as the kernel has connected; idempotent. */
    private void countKernel() throws IOException {
        ReasonCode reason = null;
        InetSocketAddress remote;
        MovingChannel mayMove;
        synchronized (connection.stateLock) {
            if (!counted && why != null) {
                counted = true;
                reason = why.reason();
            }
            remote = target;
            mayMove = young;
        }
        if (reason != null) {
            owner.kernelConnected(mayMove == null ? remote : null, reason);
        }
        if (mayMove != null) {
            connection.beginMoving(mayMove);
        }
    }

    boolean finish() throws IOException {
        return orClose(this::finishLocked);
    }

    private boolean finishLocked() throws IOException {
        if (state == State.TRYING) {
            channel.ensureOpen();
            if (channel.isBlocking()) {
                awaitAttempt();
            } else if (mayBeAccepted()) {
                awaitEnd();
            } else if (state == State.TRYING) {
                return false;
            }
        }
        switch (state) {
            case CONNECTABLE -> {
                channel.ensureOpen();
                channel.closeIfInterrupted();
                move(State.OFFLOADED);
                connection.selectorSide.settle();
                return true;
            }
            case FAILED -> {
                channel.ensureOpen();
                channel.closeIfInterrupted();
                synchronized (connection.stateLock) {
                    throw failure != null ? failure : new ConnectException("Out of memory");
                }
            }
            case OFFLOADED -> {
                channel.ensureOpen();
                return true;
            }
            default -> {
                boolean done = channel.finishConnectKernel();
                if (done) {
                    countKernel();
                }
                return done;
            }
        }
    }

    private boolean mayBeAccepted() {
        BooleanSupplier asked = answered;
        return asked != null && asked.getAsBoolean();
    }

    /**
     * Waits for the end of an attempt whose peer may have accepted: only work of our own is left,
     * which does not take long.
     */
    private void awaitEnd() throws IOException {
        boolean interrupted = false;
        synchronized (connection.stateLock) {
            while (state == State.TRYING && channel.isOpen()) {
                try {
                    connection.stateLock.wait();
                } catch (InterruptedException e) {
                    interrupted = true; // a non-blocking channel ignores an interrupt
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        channel.ensureOpen();
    }

    private void awaitAttempt() throws IOException {
        boolean over = false;
        channel.enter(true);
        try {
            synchronized (connection.stateLock) {
                while (state == State.TRYING && channel.isOpen()) {
                    connection.stateLock.wait();
                }
                over = state != State.TRYING;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // leave then closes the channel
        } finally {
            channel.leave(true, over);
        }
    }
}
