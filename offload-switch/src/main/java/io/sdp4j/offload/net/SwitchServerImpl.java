package io.sdp4j.offload.net;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.AcceptedTable;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.ListenPort;
import io.sdp4j.offload.OffloadListeners;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.KernelSocket;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Role;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * A listening socket. The kernel's listener is bound first and owns the port; if the rules allow
 * it, offload listeners stand beside it and {@code acceptor} takes from both. Without them {@code
 * accept} is the kernel's own.
 */
final class SwitchServerImpl extends SwitchSocketImpl {
    private volatile Acceptor acceptor; // set once it listens, under stateLock

    SwitchServerImpl(OffloadSwitch owner) {
        super(owner);
    }

    /** Takes over a listener from before the start of the switch. */
    void goOn(Map<String, Object> early) throws IOException {
        Policy rules = owner.policy();
        synchronized (stateLock) {
            kernel = KernelSocket.server((SocketImpl) early.get("platform"));
            fd = kernel.fileDescriptor();
            // the platform's time-out may be shorter for a thread that accepts now
            timeoutMillis = (int) early.get("timeout");
            before(early);
            kernelInfo = listenOffloaded(rules, (int) early.get("backlog")).kernelInfo();
            timeoutChanged();
        }
    }

    @Override
    KernelSocket newKernel() {
        return KernelSocket.server();
    }

    @Override
    protected void create(boolean stream) throws IOException {
        super.create(stream);
        fd = kernel.fileDescriptor(); // as in the JDK's sockets, for code that reads this field
    }

    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        if (port == 0) { // then it asks for the rules, and a close must not wait for their file
            Policy _ = owner.policy();
        }
        super.bind(host, port);
    }

    @Override
    void bindKernel(InetSocketAddress to) throws IOException {
        if (kernelOnly) {
            super.bindKernel(to);
        } else {
            ListenPort.bind(owner, to, at -> super.bindKernel((InetSocketAddress) at));
        }
    }

    @Override
    protected void listen(int backlog) throws IOException {
        Policy rules = owner.policy(); // first: it may read the file, and a close must not wait
        synchronized (stateLock) {
            ensureOpen();
            if (acceptor != null || kernelInfo != null) {
                kernel.listen(backlog); // again, with another backlog
                return;
            }
            // The providers first: a connection that comes by TCP in between would stay on TCP.
            Attempt why = kernelOnly ? OffloadSwitch.IN_SCOPE : listenOffloaded(rules, backlog);
            boolean listening = false;
            try {
                kernel.listen(backlog);
                listening = true;
            } finally {
                if (!listening && acceptor != null) {
                    acceptor.close();
                    acceptor = null;
                }
            }
            kernelInfo = why.kernelInfo();
        }
    }

    private Attempt listenOffloaded(Policy rules, int backlog) throws IOException {
        assert Thread.holdsLock(stateLock);
        Decision decision = rules.decide(Role.LISTEN, asked);
        if (!decision.verdict().offloads()) {
            return OffloadSwitch.byRule(decision);
        }
        Acceptor both = new Acceptor(kernel);
        try {
            InetSocketAddress at = kernel.localAddress();
            OffloadListeners listening =
                    owner.listen(decision, at, ListenPort.dualStack(at), backlog, both);
            if (listening.offloads()) {
                both.start(listening);
                both.closeWhenForgotten(this);
                acceptor = both;
            }
            return listening.why();
        } finally {
            if (acceptor == null) {
                both.close();
            }
        }
    }

    @Override
    protected void accept(SocketImpl si) throws IOException {
        // an early socket supplies the implementation of the switch
        Object into = si instanceof Supplier<?> early ? early.get() : si;
        if (!(into instanceof SwitchClientImpl target)) {
            throw new IOException(
                    "An instance of "
                            + getClass()
                            + " cannot accept a connection with an instance of "
                            + si.getClass());
        }
        // an early socket may have waited for a part of the time-out already
        int left = si instanceof IntSupplier early ? early.getAsInt() : -1;
        Acceptor both = acceptor;
        if (both != null) {
            both.accept(left < 0 ? timeoutMillis : left, this, target);
        } else {
            take(target, left > 0 ? acceptWithin(left) : created().accept());
        }
    }

    private KernelSocket acceptWithin(int millis) throws IOException {
        KernelSocket listener = created();
        listener.setOption(SO_TIMEOUT, millis);
        try {
            return listener.accept();
        } finally {
            synchronized (stateLock) {
                if (state != State.CLOSED) {
                    timeoutChanged(); // back to what the application has set
                }
            }
        }
    }

    /** Puts an accepted connection into the implementation that waits for it. */
    void take(SwitchClientImpl target, OffloadStream stream) throws IOException {
        OptionLog inherited;
        synchronized (stateLock) {
            inherited = options == null ? null : options.copy();
        }
        target.accepted(stream, inherited);
    }

    void take(SwitchClientImpl target, KernelSocket accepted) throws IOException {
        target.accepted(accepted, whyByTcp(), table(accepted));
    }

    /** Why connections that the kernel accepts are on TCP. */
    ConnectionInfo whyByTcp() {
        Acceptor both = acceptor;
        if (both != null) {
            return both.listening().kernelInfo();
        }
        synchronized (stateLock) {
            return kernelInfo;
        }
    }

    /**
     * The table in which a peer finds a connection that the kernel has accepted; null = it may not
     * move.
     */
    AcceptedTable table(KernelSocket accepted) throws IOException {
        Acceptor both = acceptor;
        return both == null
                ? null
                : both.listening().tableFor(accepted.localAddress(), accepted.remoteAddress());
    }

    @Override
    protected void close() throws IOException {
        synchronized (stateLock) {
            if (state == State.CLOSED) {
                return;
            }
            state = State.CLOSED;
        }
        if (acceptor != null) {
            acceptor.closeBoth();
        } else if (kernel != null) {
            kernel.close();
        }
    }

    /** Sets the kernel's time-out, except beside an {@link Acceptor}, which keeps it short. */
    @Override
    void timeoutChanged() throws SocketException {
        assert Thread.holdsLock(stateLock);
        if (acceptor == null) {
            kernel.setOption(SO_TIMEOUT, timeoutMillis);
        }
    }

    @Override
    protected void connect(SocketAddress address, int timeout) throws IOException {
        throw new SocketException("Not connected: a listener");
    }
}
