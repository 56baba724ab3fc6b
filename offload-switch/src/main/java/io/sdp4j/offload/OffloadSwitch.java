package io.sdp4j.offload;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.io.Closeable;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides where a connection goes: asks the rules, then the providers in order, and says "kernel"
 * when none of them can. Knows no protocol, and opens no socket.
 *
 * <p>Thread-safe. One per JVM is usual, several are possible (tests have many).
 */
public final class OffloadSwitch {
    /**
     * A class of its own, so that a switch can be made before the application has configured its
     * logging.
     */
    static final class Log {
        static final Logger OUT = LoggerFactory.getLogger(OffloadSwitch.class);
    }

    /**
     * Not a lambda, here and elsewhere in code that runs at start: each lambda costs a millisecond.
     */
    private static final class Warnings implements Consumer<String> {
        @Override
        public void accept(String line) {
            Log.OUT.warn(line);
        }
    }

    private static final class Clock implements LongSupplier {
        @Override
        public long getAsLong() {
            return System.nanoTime();
        }
    }

    /** For a connection that begins on kernel TCP, see {@link #beginsOnKernel}. */
    public static final Attempt YOUNG =
            Attempt.kernel(
                    ReasonCode.YOUNG, "on TCP until it has carried enough to pay for offload");

    /** For a connection that would begin on kernel TCP and has no way to move. */
    public static final Attempt NOT_WORTH =
            Attempt.kernel(
                    ReasonCode.NOT_WORTH,
                    "asynchronous channels do not move, and few live long enough to gain from"
                            + " offload at connect; upgrade=connect offloads them");

    /**
     * For a connection that began on kernel TCP and has turned out to gain too little from offload.
     */
    private static final Attempt CARRIES_LITTLE =
            Attempt.kernel(
                    ReasonCode.NOT_WORTH,
                    "a selector serves it, its calls are small and its answers slow, so it hardly"
                            + " gains from offload; upgrade=connect offloads it");

    /** As {@link #CARRIES_LITTLE}, on one processor, whatever the connection carries. */
    private static final Attempt ALONE =
            Attempt.kernel(
                    ReasonCode.NOT_WORTH,
                    "it does not block, and with one processor such a connection hardly gains from"
                            + " offload; upgrade=connect offloads it");

    /** For a connection that began on kernel TCP, where its output has to end. */
    static final Attempt ENDS_BY_TCP =
            Attempt.kernel(
                    ReasonCode.NOT_WORTH,
                    "its output has ended, or has carried urgent data, before it moved");

    /** For a connection of a socket or channel that was created in a kernel scope. */
    public static final Attempt IN_SCOPE =
            Attempt.kernel(ReasonCode.KERNEL_SCOPE, "created in a kernel scope");

    /** For a connection to another host; one for all, as many connections keep it. */
    private static final Attempt NOT_LOCAL =
            Attempt.kernel(ReasonCode.NOT_LOCAL, "the destination is not an address of this host");

    private static final int DEFAULT_BACKLOG = 50;

    /** Most destinations whose last failure is remembered. */
    private static final int REMEMBERED = 1024;

    private final Supplier<Policy> policy;
    final List<OffloadProvider> providers; // asked in this order; immutable
    private final SwitchSettings settings;
    private final Consumer<Closeable> opened;
    private final RecentFailures failures;

    final OffloadConnects connects;
    private final UpgradeGate gate; // null = the machine's, if the settings need a gate

    /** How often connections on TCP that may move have answered; see {@link UpgradeTrigger}. */
    final AtomicLong answered = new AtomicLong();

    private final AtomicBoolean rehearsed = new AtomicBoolean();
    private final SwitchCounters counters = new SwitchCounters();
    final Losses losses = new Losses(new Warnings());

    /**
     * @param policy the rules now in force; asked once per connection and listener, must not block
     * @param providers asked in this order
     */
    public OffloadSwitch(
            Supplier<Policy> policy, List<OffloadProvider> providers, SwitchSettings settings) {
        this(policy, providers, settings, null);
    }

    /**
     * @param opened called with each new channel of this switch, accepted ones included; may be
     *     null
     */
    public OffloadSwitch(
            Supplier<Policy> policy,
            List<OffloadProvider> providers,
            SwitchSettings settings,
            Consumer<Closeable> opened) {
        this(policy, providers, settings, opened, null);
    }

    OffloadSwitch(
            Supplier<Policy> policy,
            List<OffloadProvider> providers,
            SwitchSettings settings,
            Consumer<Closeable> opened,
            UpgradeGate gate) {
        this.opened = opened;
        this.policy = policy;
        this.providers = List.copyOf(providers);
        this.settings = settings;
        this.failures = new RecentFailures(settings.missTtlNanos(), REMEMBERED, new Clock());
        this.gate = gate;
        this.connects =
                new OffloadConnects(
                        this.providers, settings.connectTimeoutNanos(), failures, counters, losses);
    }

    public SwitchCounters counters() {
        return counters;
    }

    public SwitchReport report() {
        return counters.report();
    }

    /** Reports a new channel of this switch. Called as soon as the channel can be closed. */
    public void opened(Closeable channel) {
        if (opened != null) {
            opened.accept(channel);
        }
    }

    /** The rules now in force. */
    public Policy policy() {
        return policy.get();
    }

    /**
     * The outcome that is clear without asking a provider: the rule keeps the connection on the
     * kernel, there cannot be a listener, no provider leads there, or an attempt there failed
     * lately. Never blocks.
     *
     * @return null if {@link #connect} has to find out
     */
    public Attempt settled(Decision decision, InetSocketAddress remote) {
        if (!decision.verdict().offloads()) {
            return byRule(decision);
        }
        if (decision.verdict() == Verdict.OFFLOAD_ONLY) {
            return null;
        }
        OffloadUnavailable noListener = OffloadConnects.noListenerAt(remote);
        if (noListener != null) {
            return Attempt.kernel(noListener.reason(), noListener.getMessage());
        }
        if (allBeginOnKernel(decision) && !beginsOnKernel(decision, remote)) {
            return NOT_LOCAL;
        }
        if (failures.contains(remote)) {
            return Attempt.kernel(
                    ReasonCode.REMEMBERED,
                    "an offload attempt to " + remote + " failed lately; asked again later");
        }
        return null;
    }

    /**
     * Tries to connect through the providers, as far as the rule allows.
     *
     * @param remote resolved, not a wildcard
     * @param startNanos {@link System#nanoTime()} value when the caller began
     * @param timeoutNanos what the caller allows from then on for offload and kernel together;
     *     {@link Long#MAX_VALUE} = no limit
     * @param abandoned see {@link ConnectSpec#abandoned}
     * @param asked see {@link ConnectSpec#asked}
     * @return the stream, or the reason why the kernel is to connect, or {@link
     *     ReasonCode#ABANDONED}
     * @throws ConnectException if the rule allows nothing but offload and offload failed
     */
    public Attempt connect(
            Decision decision,
            InetSocketAddress remote,
            ConnectSpec.LocalAddress localAddress,
            long startNanos,
            long timeoutNanos,
            BooleanSupplier abandoned,
            Consumer<BooleanSupplier> asked)
            throws ConnectException {
        Attempt settled = settled(decision, remote);
        return settled != null
                ? settled
                : connects.connect(
                        decision, remote, localAddress, startNanos, timeoutNanos, abandoned, asked);
    }

    /**
     * The outcome of an attempt for which {@link ConnectThreads} has no thread.
     *
     * @throws ConnectException if the rule allows nothing but offload
     */
    public Attempt withoutThread(Decision decision, InetSocketAddress remote)
            throws ConnectException {
        return connects.withoutThread(decision, remote);
    }

    /**
     * The outcome for a connection that began on kernel TCP, does not block and stays on TCP until
     * its end.
     */
    public Attempt notWorthMoving() {
        return settings.upgrade().keepsSelectors() ? ALONE : CARRIES_LITTLE;
    }

    /** The policy that tells when connections that may move do so. */
    public UpgradePolicy upgradePolicy() {
        return settings.upgrade();
    }

    /**
     * Whether a connection is to begin on kernel TCP, to be moved later.
     *
     * @param remote resolved, not a wildcard
     */
    public boolean beginsOnKernel(Decision decision, InetSocketAddress remote) {
        if (decision.verdict() != Verdict.OFFLOAD_FIRST) {
            return false;
        }
        for (OffloadProvider provider : providers) {
            if (provider.moves(remote.getAddress(), decision.fabrics())) {
                return true;
            }
        }
        return false;
    }

    /** Whether connections that are worth moving may move now. May read a file. */
    boolean admitsUpgrades() {
        if (!settings.upgrade().waitsInCrowd()) {
            return true;
        }
        UpgradeGate here = gate == null ? UpgradeGate.OfMachine.GATE : gate;
        return here.isOpen(System.nanoTime());
    }

    /**
     * Counts a connection that was made on the kernel, and remembers a destination without an
     * offload listener.
     *
     * @param remote as in {@link #connect}; null if it is not known
     * @param reason why it was not offloaded
     */
    public void kernelConnected(InetSocketAddress remote, ReasonCode reason) {
        counters.kernelConnected(reason);
        if (reason == ReasonCode.NO_PEER && remote != null) {
            failures.kernelConnected(remote);
        }
    }

    /** The operator knows already what is not offloaded for a reason, or with that detail. */
    public void told(Object reasonOrDetail) {
        losses.known(reasonOrDetail);
    }

    /** See {@link OffloadProvider#choosePort}; 0 if no provider minds. */
    int choosePort(Decision decision, Supplier<InetSocketAddress> free) {
        for (OffloadProvider provider : providers) {
            try {
                int port = provider.choosePort(decision.fabrics(), free);
                if (port != 0) {
                    return port;
                }
            } catch (RuntimeException e) {
                Log.OUT.warn(
                        "provider {} failed to choose a port; the kernel chooses it",
                        provider.name(),
                        e);
            }
        }
        return 0;
    }

    /**
     * Listens through every provider, beside a kernel listener that is bound; {@linkplain
     * #listensLater later} and on another thread if that suffices.
     *
     * @param address what the kernel listener is bound to, with its real port
     * @param dualStack whether it is {@code ::} and takes IPv4 too
     * @param backlog streams that may wait, as the application asked for them
     * @param onPending called by providers when a stream waits; must not block
     * @throws SocketException if the rule allows nothing but offload and no provider can listen
     */
    public OffloadListeners listen(
            Decision decision,
            InetSocketAddress address,
            boolean dualStack,
            int backlog,
            Runnable onPending)
            throws SocketException {
        if (!decision.verdict().offloads()) {
            throw new IllegalArgumentException("not to be offloaded: " + decision);
        }
        boolean only = decision.verdict() == Verdict.OFFLOAD_ONLY;
        AcceptedTable accepted = new AcceptedTable();
        int most = backlog < 1 ? DEFAULT_BACKLOG : backlog; // as the kernel reads it
        ListenSpec spec =
                new ListenSpec(address, dualStack, most, decision.fabrics(), onPending, accepted);
        OffloadListeners listening = new OffloadListeners(this, decision, accepted, spec);
        if (listensLater(decision) && ConnectThreads.start(listening)) {
            return listening;
        }
        ProviderFailure failure = listening.listen();
        if (only && !listening.offloads()) {
            counters.refused();
            throw failure.causing(
                    new SocketException(
                            "Cannot listen for offloaded connections " + failure.under(decision)));
        }
        if (settings.upgrade().atConnect()) {
            rehearse(decision);
        }
        return listening;
    }

    /** Has the first connections find their classes loaded, once a listener is there. */
    private void rehearse(Decision decision) {
        for (OffloadProvider provider : providers) {
            if (provider.rehearses(decision.fabrics()) && rehearsed.compareAndSet(false, true)) {
                boolean _ = ConnectThreads.startMove(new Rehearsal(provider, decision.fabrics()));
            }
        }
    }

    /**
     * Whether a listener need not wait for the providers. It must wait if some rule of this program
     * requires offload, or if connections move at once: a peer may have the same rule or setting
     * and ask before the providers listen.
     */
    boolean listensLater(Decision decision) {
        if (decision.verdict() != Verdict.OFFLOAD_FIRST
                || settings.upgrade().atConnect()
                || policy().canRequireOffload()) {
            return false;
        }
        return allBeginOnKernel(decision);
    }

    /** Whether providers carry nothing but connections that begin on kernel TCP and move. */
    private boolean allBeginOnKernel(Decision decision) {
        for (OffloadProvider provider : providers) {
            if (!provider.listensLater(decision.fabrics())) {
                return false;
            }
        }
        return !providers.isEmpty();
    }

    /** The outcome for a connection or listener that a rule keeps on the kernel. */
    public static Attempt byRule(Decision decision) {
        if (decision.lacksRules()) {
            return Attempt.kernel(ReasonCode.NO_RULES, decision.rule());
        }
        return Attempt.kernel(
                decision.verdict() == Verdict.DIRECT ? ReasonCode.RULE_DIRECT : ReasonCode.RULE_TCP,
                "rule: " + decision);
    }
}
