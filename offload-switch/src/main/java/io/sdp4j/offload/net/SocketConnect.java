package io.sdp4j.offload.net;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.KernelSocket;
import io.sdp4j.offload.net.SwitchSocketImpl.State;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.SocketException;
import java.net.SocketOptions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Connects one socket: asks the providers that the rules allow, then the kernel.
 *
 * <p>{@code connectLock} is held while connecting; the socket's state lock guards {@code holdsPort}
 * and the fields of the socket.
 */
final class SocketConnect {
    private final SwitchClientImpl socket;
    private final OffloadSwitch owner;
    private final ReentrantLock connectLock = new ReentrantLock();
    private boolean holdsPort; // state lock: bound by us, for an offload attempt
    private Decision movesBy; // connectLock: the rule by which the connection may move, or null

    SocketConnect(SwitchClientImpl socket) {
        this.socket = socket;
        this.owner = socket.owner;
    }

    /**
     * As {@link java.net.Socket#connect(java.net.SocketAddress, int)}.
     *
     * @param startNanos {@link System#nanoTime()} when the application asked
     */
    void connect(InetSocketAddress address, long startNanos, int millis) throws IOException {
        connectLock.lock();
        try {
            beginConnect();
            movesBy = null;
            Attempt attempt = attempt(address, startNanos, millis);
            if (attempt.stream() != null) {
                socket.adopt(attempt.stream(), State.CONNECTING, false, millis > 0);
            } else if (attempt.reason() == ReasonCode.ABANDONED) {
                throw givenUpException();
            } else {
                connectKernel(address, millis, startNanos, attempt);
            }
        } catch (RuntimeException e) { // of a proxy selector: as in the JDK, it may be tried again
            if (!unconnectedAgain()) {
                socket.close();
            }
            throw e;
        } catch (IOException | Error e) {
            socket.close();
            throw e;
        } finally {
            connectLock.unlock();
        }
    }

    private boolean unconnectedAgain() {
        synchronized (socket.stateLock) {
            boolean trying = socket.state == State.CONNECTING;
            if (trying) {
                socket.state = State.UNCONNECTED;
            }
            return trying;
        }
    }

    private void beginConnect() throws SocketException {
        synchronized (socket.stateLock) {
            String problem =
                    switch (socket.state) {
                        case NEW -> "Not created";
                        case UNCONNECTED -> null;
                        case CONNECTING -> "Connection in progress";
                        case CONNECTED -> "Already connected";
                        case CLOSED -> "Socket closed";
                    };
            if (problem != null) {
                throw new SocketException(problem);
            }
            socket.state = State.CONNECTING;
        }
    }

    private Attempt attempt(InetSocketAddress target, long startNanos, int millis)
            throws IOException {
        if (socket.kernelOnly) {
            return OffloadSwitch.IN_SCOPE;
        }
        if (target.isUnresolved()) {
            Proxies.requireTcpAllowed(proxyTowards(target), this::decision, owner.counters());
            return Attempt.kernel(ReasonCode.PROXY, "a proxy resolves " + target.getHostString());
        }
        InetSocketAddress resolved =
                target.getAddress().isAnyLocalAddress()
                        ? new InetSocketAddress(InetAddress.getLocalHost(), target.getPort())
                        : target;
        Decision decision = decision(resolved);
        Proxy proxy = proxyTowards(target);
        if (proxy != null) {
            if (decision.verdict() == Verdict.OFFLOAD_ONLY) {
                throw Proxies.refused(target, decision, owner.counters());
            }
            Proxies.requireTcpAllowed(proxy, this::decision, owner.counters());
            if (decision.verdict().offloads()) {
                return Attempt.kernel(ReasonCode.PROXY, "a SOCKS proxy handles " + target);
            }
        }
        if (owner.beginsOnKernel(decision, resolved)) {
            movesBy = decision;
            return OffloadSwitch.YOUNG;
        }
        requireFamilyOf(resolved);
        return owner.connect(
                decision,
                resolved,
                ConnectSpec.LocalAddress.of(
                        bound(), source -> localAddressTowards(resolved, source)),
                startNanos,
                millis > 0 ? TimeUnit.MILLISECONDS.toNanos(millis) : Long.MAX_VALUE,
                givenUp(Thread.currentThread()),
                _ -> {});
    }

    /** Refuses, as the kernel does, a target of another family than the address that was bound. */
    private void requireFamilyOf(InetSocketAddress target) throws SocketException {
        synchronized (socket.stateLock) {
            if (socket.asked == null || socket.asked.getAddress().isAnyLocalAddress()) {
                return;
            }
            boolean four = socket.asked.getAddress() instanceof Inet4Address;
            if (four != (target.getAddress() instanceof Inet4Address)) {
                throw new SocketException(
                        four
                                ? "Address family not supported by protocol"
                                : "Network is unreachable");
            }
        }
    }

    private Proxy proxyTowards(InetSocketAddress target) {
        return socket.proxies ? Proxies.towards(target) : null;
    }

    /**
     * Whether a connect was given up, as the JDK's can be: by a close, or the interrupt of a
     * virtual thread.
     */
    private BooleanSupplier givenUp(Thread connecting) {
        return () -> {
            synchronized (socket.stateLock) {
                return socket.state != State.CONNECTING
                        || (connecting.isVirtual() && connecting.isInterrupted());
            }
        };
    }

    private SocketException givenUpException() {
        synchronized (socket.stateLock) {
            return new SocketException(
                    socket.state != State.CONNECTING ? "Socket closed" : "Closed by interrupt");
        }
    }

    private Decision decision(InetSocketAddress target) {
        Policy rules = owner.policy(); // first: it may read the file, and a close must not wait
        synchronized (socket.stateLock) {
            return rules.decide(socket.asked, target);
        }
    }

    /** The address that the application asked to bind to, or null. */
    private InetAddress bound() {
        synchronized (socket.stateLock) {
            return socket.asked == null ? null : socket.asked.getAddress();
        }
    }

    /** Binds the kernel's socket, so that the number is ours against TCP too (behaviour 6). */
    private InetSocketAddress localAddressTowards(InetSocketAddress target, InetAddress known)
            throws IOException {
        InetAddress source = SourceAddressSelection.towards(target, known);
        synchronized (socket.stateLock) {
            if (socket.state != State.CONNECTING) {
                throw new SocketException("Socket closed");
            }
            if (socket.asked != null) {
                InetSocketAddress chosen = socket.kernel.localAddress();
                return chosen.getAddress().isAnyLocalAddress()
                        ? new InetSocketAddress(source, chosen.getPort())
                        : chosen;
            }
            if (!holdsPort) {
                socket.kernel.bind(source, 0);
                holdsPort = true;
            }
            return new InetSocketAddress(source, socket.kernel.localPort());
        }
    }

    private void connectKernel(InetSocketAddress target, int millis, long startNanos, Attempt why)
            throws IOException {
        int left = millis;
        if (millis > 0) {
            long usedNanos = System.nanoTime() - startNanos;
            // At least 1 ms, so that an error that the kernel knows at once wins over the time-out.
            left = (int) Math.max(1, millis - TimeUnit.NANOSECONDS.toMillis(usedNanos));
        }
        KernelSocket current;
        synchronized (socket.stateLock) {
            if (socket.state != State.CONNECTING) {
                throw new SocketException("Socket closed");
            }
            if (holdsPort) {
                replaceKernel();
            }
            current = socket.kernel;
        }
        current.connect(target, left);
        MovingConnection moving = null;
        synchronized (socket.stateLock) {
            if (socket.state != State.CONNECTING) {
                throw new SocketException("Socket closed");
            }
            socket.kernelInfo = why.kernelInfo();
            if (movesBy != null) {
                moving =
                        socket.moving(
                                current,
                                movesBy,
                                null,
                                socket.kernelInfo,
                                millis > 0 || Thread.currentThread().isVirtual(),
                                SwitchClientImpl.begun());
                socket.carried = moving;
            }
            socket.state = State.CONNECTED;
        }
        owner.kernelConnected(moving == null ? target : null, why.reason());
        if (moving != null) {
            moving.start();
        }
    }

    /**
     * Replaces the kernel's socket, which an attempt has bound, so that TCP chooses its own port.
     */
    private void replaceKernel() throws IOException {
        assert Thread.holdsLock(socket.stateLock);
        KernelSocket fresh = SwitchSocketImpl.createdNow(socket.newKernel());
        KernelSocket old = socket.kernel;
        socket.kernel = fresh;
        holdsPort = false;
        old.close();
        if (socket.options != null) {
            socket.options.applyTo(fresh);
        }
        if (socket.timeoutMillis > 0) { // which the options do not have
            fresh.setOption(SocketOptions.SO_TIMEOUT, socket.timeoutMillis);
        }
    }
}
