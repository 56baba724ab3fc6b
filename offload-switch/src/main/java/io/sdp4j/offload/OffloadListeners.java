package io.sdp4j.offload;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Verdict;
import java.lang.ref.Cleaner;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The offload side of one listener: the providers' listeners. The providers may be asked later, see
 * {@link OffloadProvider#listensLater}; until they have answered, {@link #offloads} is true and
 * there is nothing to poll.
 *
 * <p>Thread-safety: {@link #poll} is for the one thread that accepts; the rest for any thread.
 */
public final class OffloadListeners implements AutoCloseable, Runnable {
    /** Why connections are on TCP although there are listeners. */
    private static final Attempt BY_TCP =
            Attempt.kernel(
                    ReasonCode.ACCEPTED_TCP,
                    "the peer came in by TCP although the listener offers offload");

    private static final ConnectionInfo BY_TCP_INFO = BY_TCP.kernelInfo(); // one for all of them

    private final OffloadSwitch owner;
    private final Decision decision;
    private final AcceptedTable accepted;
    private final ListenSpec spec;
    private volatile List<OffloadListener> listeners = List.of(); // set once, under this
    private volatile Attempt failure; // set before the listeners; null = none
    private boolean settled; // this
    private boolean closed; // this
    private int next;

    /** The providers are still to be asked: at once ({@link #listen}), or by a task. */
    OffloadListeners(
            OffloadSwitch owner, Decision decision, AcceptedTable accepted, ListenSpec spec) {
        this.owner = owner;
        this.decision = decision;
        this.accepted = accepted;
        this.spec = spec;
    }

    /** Listens later, as a task on another thread. */
    @Override
    public void run() {
        synchronized (this) {
            if (closed) {
                return;
            }
        }
        try {
            ProviderFailure _ = listen();
        } catch (LinkageError | OutOfMemoryError e) {
            OffloadSwitch.Log.OUT.warn("{} does not listen for offload", spec.address(), e);
        }
        if (pending()) {
            spec.onPending().run(); // an earlier call found nothing to poll yet
        }
    }

    /** Makes each provider listen, and returns why some could not. Called once. */
    ProviderFailure listen() {
        List<OffloadListener> found = new ArrayList<>();
        ProviderFailure failed = new ProviderFailure();
        for (OffloadProvider provider : owner.providers) {
            try {
                found.add(provider.listen(spec));
            } catch (OffloadUnavailable e) {
                failed.add(e);
            } catch (RuntimeException e) {
                owner.connects.failed("listen on", provider, spec.address(), e);
                failed.add(provider, e);
            } catch (Error e) {
                closeAll(found);
                failed.add(provider, e);
                settle(List.of(), failed.kernel());
                throw e;
            }
        }
        if (found.isEmpty()) {
            OffloadSwitch.Log.OUT.debug(
                    "{} does not listen for offload: {}", spec.address(), failed.detail());
            owner.losses.add("listener " + spec.address(), failed.reason(), failed.detail());
        }
        settle(found, failed.kernel());
        return failed;
    }

    private void settle(List<OffloadListener> found, Attempt why) {
        synchronized (this) {
            assert !settled;
            settled = true;
            if (!closed) {
                failure = found.isEmpty() ? why : null;
                listeners = List.copyOf(found);
                return;
            }
        }
        closeAll(found);
    }

    /** Whether there is anything to poll, or may be later. */
    public boolean offloads() {
        return failure == null;
    }

    /** Whether connections that come by TCP are to be refused. */
    public boolean only() {
        return decision.verdict() == Verdict.OFFLOAD_ONLY;
    }

    /** The connection from {@code remote} came by TCP and is refused, as {@link #only} wants. */
    public void refused(SocketAddress remote) {
        owner.counters().refused();
        OffloadSwitch.Log.OUT.debug("{} is refused, as it came by TCP: rule {}", remote, decision);
    }

    /**
     * Where a peer finds a connection that was accepted from the kernel.
     *
     * @return null if it cannot move, and then needs no object of ours on its way
     */
    public AcceptedTable tableFor(InetSocketAddress local, InetSocketAddress remote) {
        return offloads() && withinHost(local, remote) && owner.beginsOnKernel(decision, remote)
                ? accepted
                : null;
    }

    /**
     * Whether both ends are on this host. Misses connections whose program chose a source address
     * that the kernel would not: a look through all local addresses at each accept may take long.
     */
    private static boolean withinHost(InetSocketAddress local, InetSocketAddress remote) {
        return remote.getAddress().isLoopbackAddress()
                || remote.getAddress().equals(local.getAddress());
    }

    /** Why connections that are accepted now from the kernel are on TCP. */
    public Attempt why() {
        Attempt why = failure;
        return why == null ? BY_TCP : why;
    }

    /** The description of connections that are accepted now from the kernel. */
    public ConnectionInfo kernelInfo() {
        Attempt why = failure;
        return why == null ? BY_TCP_INFO : why.kernelInfo();
    }

    /** The next stream that waits to be accepted, from each listener in turn; null if none does. */
    public OffloadStream poll() {
        List<OffloadListener> all = listeners;
        for (int i = 0; i < all.size(); i++) {
            OffloadListener listener = all.get(next);
            next = (next + 1) % all.size();
            OffloadStream stream = listener.poll();
            if (stream != null) {
                return stream;
            }
        }
        return null;
    }

    /** Whether {@link #poll} would find a stream. */
    public boolean pending() {
        for (OffloadListener listener : listeners) {
            if (listener.pending()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Has {@code closing} run once {@code holder} is garbage, if the system has a thread for that.
     *
     * @param closing must not refer to {@code holder}
     */
    public static void whenForgotten(Object holder, Runnable closing) {
        Cleaner.Cleanable _ = StreamCleaner.register(holder, closing);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true; // what is found later is closed at once
        }
        closeAll(listeners);
    }

    private static void closeAll(List<OffloadListener> all) {
        for (OffloadListener listener : all) { // no lambda: it costs a short program a millisecond
            listener.close();
        }
    }
}
