package io.sdp4j.offload;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Verdict;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Asks the providers of one switch for streams, and remembers the destinations where they failed.
 *
 * <p>Thread-safe.
 */
final class OffloadConnects {
    /**
     * Time beyond the cap that a provider may take for its own start, and a server for the start of
     * its switch, which a busy server puts off by as much at most.
     */
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * Longer than the class loading of the first connection of a provider that has started. A
     * caller with this much time left needs no other thread for the attempt.
     */
    private static final long LOAD_NANOS = TimeUnit.SECONDS.toNanos(2);

    /**
     * Pause before a server is asked again, because asking costs a read of kernel tables or a
     * hand-shake.
     */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final List<OffloadProvider> providers; // asked in this order; immutable
    private final long capNanos; // longest time of an attempt whose rule names none
    private final RecentFailures failures;
    private final SwitchCounters counters;
    private final Losses losses;

    /**
     * Whether further attempts are short, because an attempt has succeeded or was told NOT_LOCAL.
     */
    private volatile boolean warm;

    /**
     * Whether a provider is known to have started, because it has looked for a peer and found none.
     */
    private volatile boolean started;

    OffloadConnects(
            List<OffloadProvider> providers,
            long capNanos,
            RecentFailures failures,
            SwitchCounters counters,
            Losses losses) {
        this.providers = providers;
        this.capNanos = capNanos;
        this.failures = failures;
        this.counters = counters;
        this.losses = losses;
    }

    /**
     * Why there cannot be a listener at {@code remote}, so that no provider need be asked; null =
     * there may be one.
     */
    static OffloadUnavailable noListenerAt(InetSocketAddress remote) {
        if (remote.getPort() != 0 && !remote.getAddress().isMulticastAddress()) {
            return null;
        }
        return new OffloadUnavailable(
                ReasonCode.NO_PEER,
                (remote.getPort() == 0 ? "port 0" : "a multicast address") + " has no listener");
    }

    /**
     * As {@link OffloadSwitch#connect}, for a connection that is not {@linkplain
     * OffloadSwitch#settled settled} without the providers.
     */
    Attempt connect(
            Decision decision,
            InetSocketAddress remote,
            ConnectSpec.LocalAddress localAddress,
            long startNanos,
            long timeoutNanos,
            BooleanSupplier abandoned,
            Consumer<BooleanSupplier> asked)
            throws ConnectException {
        boolean only = decision.verdict() == Verdict.OFFLOAD_ONLY;
        boolean byRule = decision.connectTimeoutNanos() > 0;
        long longestNanos = byRule ? decision.connectTimeoutNanos() : capNanos;
        // behaviour 3: with a fallback to come, half of the caller's time is the kernel's.
        long shareNanos = only ? timeoutNanos : timeoutNanos / 2;
        ProviderFailure failure = new ProviderFailure();
        OffloadUnavailable noListener = noListenerAt(remote);
        if (noListener != null) {
            failure.add(noListener);
        }
        List<OffloadProvider> able = noListener == null ? providers : List.of();
        long nowNanos = startNanos;
        boolean loading = false;
        for (OffloadProvider provider : able) {
            long leftNanos = shareNanos - (nowNanos - startNanos);
            ConnectSpec spec =
                    new ConnectSpec(
                            remote,
                            localAddress,
                            decision.fabrics(),
                            nowNanos,
                            nowNanos + Math.min(longestNanos, leftNanos),
                            nowNanos + Math.min(longestNanos + START_NANOS, leftNanos),
                            byRule,
                            abandoned,
                            asked,
                            -1);
            boolean hurried =
                    !warm
                            && timeoutNanos != Long.MAX_VALUE
                            && !(started && leftNanos >= LOAD_NANOS);
            try {
                boolean timed = timeoutNanos != Long.MAX_VALUE;
                long fullNanos = timed ? startNanos + shareNanos : spec.deadlineNanos();
                OffloadStream stream = ask(provider, spec, hurried, only, fullNanos);
                if (stream == null) {
                    failure.add(outOfTime());
                    loading = true;
                    break;
                }
                Attempt attempt = won(stream);
                warm = true;
                failures.forget(remote);
                return attempt;
            } catch (OffloadUnavailable e) {
                // The provider reports a resource that a close took away as missing.
                if (e.reason() == ReasonCode.ABANDONED || abandoned.getAsBoolean()) {
                    return new Attempt(null, ReasonCode.ABANDONED, e.getMessage());
                }
                warm |= e.reason() == ReasonCode.NOT_LOCAL;
                started |= e.reason() == ReasonCode.NO_PEER;
                failure.add(e);
            } catch (RuntimeException e) {
                failed("connect to", provider, remote, e);
                failure.add(provider, e);
            }
            nowNanos = System.nanoTime();
        }
        if (failure.remember()) {
            if (failure.reason() == ReasonCode.NO_PEER) {
                failures.refused(remote);
            } else {
                failures.silent(remote);
            }
        }
        if (!loading) { // a provider that loads may have the log loading with it
            tell(remote, failure.kernel());
        }
        return without(decision, failure);
    }

    /** Returns the outcome of an attempt that has won a stream; if that fails, closes it. */
    private static Attempt won(OffloadStream stream) {
        Attempt attempt = null;
        try {
            attempt = new Attempt(stream, ReasonCode.OFFLOADED, stream.info().detail());
            return attempt;
        } finally {
            if (attempt == null) {
                stream.close(true);
            }
        }
    }

    /** Tells the operator. */
    void tell(InetSocketAddress remote, Attempt why) {
        OffloadSwitch.Log.OUT.debug("{} is not offloaded: {}", remote, why.detail());
        losses.add(remote, why.reason(), why.detail());
    }

    /** Returns the kernel as the way to go on, or throws if the rule requires offload. */
    private Attempt without(Decision decision, ProviderFailure failure) throws ConnectException {
        if (decision.verdict() == Verdict.OFFLOAD_ONLY) {
            counters.refused();
            throw failure.causing(
                    new ConnectException("Connection refused " + failure.under(decision)));
        }
        return failure.kernel();
    }

    /** As {@link OffloadSwitch#withoutThread}. */
    Attempt withoutThread(Decision decision, InetSocketAddress remote) throws ConnectException {
        ProviderFailure failure = new ProviderFailure();
        failure.add(noThread());
        tell(remote, failure.kernel());
        return without(decision, failure);
    }

    static OffloadUnavailable noThread() {
        return new OffloadUnavailable(
                ReasonCode.MEMORY, "the system has no thread for the attempt");
    }

    /**
     * Asks one provider. Without TCP to fall back to ({@code only}) it asks again while the server
     * is starting or its backlog is full, as the kernel would send another SYN.
     *
     * @param fullNanos {@link System#nanoTime()} value until which to wait for room in a backlog
     * @return null if the provider is still loading when the time is over
     */
    private OffloadStream ask(
            OffloadProvider provider,
            ConnectSpec first,
            boolean hurriedAtFirst,
            boolean only,
            long fullNanos)
            throws OffloadUnavailable {
        ConnectSpec spec = first;
        boolean hurried = hurriedAtFirst;
        boolean interrupted = false;
        try {
            for (; ; ) {
                try {
                    return hurried
                            ? BoundedAttempt.connect(provider, spec)
                            : provider.connect(spec);
                } catch (OffloadUnavailable e) {
                    long nowNanos = System.nanoTime();
                    boolean full = e.reason() == ReasonCode.BACKLOG;
                    if (e.starting() && !spec.deadlineByRule()) {
                        spec = spec.later(nowNanos - spec.askedNanos(), nowNanos);
                    }
                    boolean renew = full && !spec.deadlineByRule(); // the peer is not silent
                    long endNanos = renew ? fullNanos : spec.deadlineNanos();
                    if (!only
                            || !(e.starting() || full)
                            || spec.abandoned().getAsBoolean()
                            || nowNanos - endNanos >= 0) {
                        throw e;
                    }
                    LockSupport.parkNanos(AGAIN_NANOS);
                    // a virtual thread's interrupt stays set: spec.abandoned() looks at it
                    interrupted |= !Thread.currentThread().isVirtual() && Thread.interrupted();
                    if (renew) {
                        hurried = false; // the provider answers quickly
                        long leftNanos = Math.max(1, fullNanos - System.nanoTime());
                        spec =
                                spec.again(
                                        System.nanoTime(),
                                        Math.min(capNanos, leftNanos),
                                        Math.min(capNanos + START_NANOS, leftNanos));
                    }
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Looks for a stream for a connection that exists on kernel TCP. Blocks.
     *
     * @param socket a descriptor of the connection; may be closed meanwhile
     * @param asked see {@link ConnectSpec#asked}
     */
    Attempt upgrade(
            Decision decision,
            InetSocketAddress local,
            InetSocketAddress remote,
            int socket,
            BooleanSupplier abandoned,
            Consumer<BooleanSupplier> asked) {
        if (failures.contains(remote)) {
            return Attempt.kernel(
                    ReasonCode.REMEMBERED, "an offload attempt to " + remote + " failed lately");
        }
        ProviderFailure failure = new ProviderFailure();
        for (OffloadProvider provider : providers) {
            long now = System.nanoTime();
            long limit = now + capNanos + START_NANOS; // no call of the application waits
            try {
                OffloadStream stream =
                        provider.connect(
                                new ConnectSpec(
                                        remote,
                                        _ -> local,
                                        decision.fabrics(),
                                        now,
                                        limit,
                                        limit,
                                        false,
                                        abandoned,
                                        asked,
                                        socket));
                return won(stream);
            } catch (OffloadUnavailable e) {
                failure.add(e);
            } catch (RuntimeException e) {
                failed("move", provider, remote, e);
                failure.add(provider, e);
            }
        }
        if (failure.remember()) {
            failures.notMoved(remote, failure.reason() == ReasonCode.NO_PEER);
        }
        if (!abandoned.getAsBoolean()) {
            losses.add(remote, failure.reason(), failure.detail());
        }
        return failure.kernel();
    }

    /** Logs a fault of a provider, which may come with each connection. */
    void failed(
            String toDo, OffloadProvider provider, InetSocketAddress where, RuntimeException e) {
        String text = "provider {} failed to {} {}";
        if (losses.first(provider.name() + toDo + e.getClass())) {
            OffloadSwitch.Log.OUT.warn(text, provider.name(), toDo, where, e);
        } else {
            OffloadSwitch.Log.OUT.debug(text, provider.name(), toDo, where, e);
        }
    }

    private static OffloadUnavailable outOfTime() {
        return new OffloadUnavailable(
                ReasonCode.TIMED_OUT,
                "this JVM had not loaded what offload needs when the connect's time for it ran out;"
                        + " later connections find it loaded");
    }
}
