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
 * the connecting thread or for a non-blocking channel on one of {@link ConnectThreads}; then
 * KERNEL, for good; or CONNECTABLE, offloaded but {@code finishConnect} was not called, and
 * OFFLOADED; or FAILED, {@code finishConnect} will say why. Guarded by the channel's state lock,
 * read without it. While TRYING selectors do not look at the channel, also those that have
 * registered it before; when that ends, each is made to ask for the interest again.
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
    private Attempt why; // stateLock: the kernel carries the connection; null until it is known
    private boolean counted; // stateLock: the kernel has connected
    private InetSocketAddress target; // of an attempt
    private IOException failure; // of FAILED

    /** Whether the peer may have accepted already; null until it was asked, and after TRYING. */
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

    /** Whether reading and writing is the stream's business, or was until it was closed. */
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

    /** Where an attempt that is not over goes to, or null. */
    InetSocketAddress target() {
        synchronized (connection.stateLock) {
            return pendingOffload() ? target : null;
        }
    }

    /** Goes on with what there was before the switch. */
    void after(EarlyConnection early) {
        port.asked(early.asked());
        selectors.mayBePolled();
    }

    /** It was accepted, or connected by TCP before there was a switch, and counted. */
    void connectedBefore(Attempt why, MovingChannel mayMove) {
        synchronized (connection.stateLock) {
            this.why = why;
            counted = true;
            young = mayMove;
            state = State.KERNEL;
        }
    }

    /** A connection that is up stays with the kernel for another reason than it came there. */
    void becomes(Attempt attempt) {
        ReasonCode was;
        synchronized (connection.stateLock) {
            was = why.reason();
            why = attempt;
        }
        owner.counters().stays(was, attempt.reason());
    }

    /** Why the kernel carries the connection; empty unless it is up. */
    Optional<ConnectionInfo> info() {
        synchronized (connection.stateLock) {
            return counted ? Optional.of(why.kernelInfo()) : Optional.empty();
        }
    }

    /** The kernel's connection has moved onto a stream. Under the state lock. */
    void moved() {
        move(State.OFFLOADED);
    }

    /** Whether the kernel carries the connection, as far as it has not moved. */
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

    /** Alone; where it fails the channel is closed. */
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
            return connectKernel(remote, nanos); // which knows what is wrong
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
            // In this order selectors do not hear of an attempt that gets no thread.
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

    /** The address that the kernel would connect to, or null if it will complain. */
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
                move(State.UNDECIDED); // so that nothing but the kernel's channel is asked
            }
        }
        if (offloaded) {
            return true;
        }
        settleOnKernel(attempt);
        long leftNanos = nanos;
        if (nanos >= 0 && nanos != Long.MAX_VALUE) {
            // However little is left: what the kernel knows at once is told rather than the time.
            leftNanos = Math.max(1, nanos - (System.nanoTime() - startNanos));
        }
        return connectKernel(remote, leftNanos);
    }

    /** On one of {@link ConnectThreads}, for a non-blocking channel. */
    private void tryBehind(SocketAddress remote, Decision decision) {
        InetSocketAddress to = target(); // waits for the lock, and so for TRYING
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
                answered = () -> true; // the kernel is quicker than we can say that it does it
                boolean _ = channel.connectKernel(remote, -1);
                next = State.KERNEL;
            } else if (connection.adopt(attempt.stream())) {
                next = State.CONNECTABLE;
            }
        } catch (IOException e) {
            failed = e;
        } catch (RuntimeException | Error e) { // closed, or a fault that must not be swallowed
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

    /** Null where no memory is left to say what failed. */
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

    /** The kernel has connected; idempotent. */
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
                move(State.OFFLOADED);
                connection.selectorSide.settle();
                return true;
            }
            case FAILED -> {
                channel.ensureOpen();
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

    /** The peer may have accepted: what is left is work of our own, which does not take long. */
    private void awaitEnd() throws IOException {
        boolean interrupted = false;
        synchronized (connection.stateLock) {
            while (state == State.TRYING && channel.isOpen()) {
                try {
                    connection.stateLock.wait();
                } catch (InterruptedException e) {
                    interrupted = true; // which means nothing to a channel that does not block
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
            Thread.currentThread().interrupt(); // which closes the channel
        } finally {
            channel.leave(true, over);
        }
    }
}
