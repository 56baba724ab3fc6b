package io.sdp4j.offload.nio;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.AcceptedTable;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.ListenPort;
import io.sdp4j.offload.OffloadListeners;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.ReadinessEpoll;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import sun.nio.ch.ListeningChannel;
import sun.nio.ch.SecondQueue;

/**
 * The switch's part of one listening channel: the rules' decision and, where they allow offload,
 * the offload listeners beside the kernel's queue.
 *
 * <p>A connection that comes by TCP and may not move is handed out as the JDK's own channel
 * (behaviour 57).
 */
final class SwitchListener implements SecondQueue, Runnable {
    private final SwitchSelectorProvider provider;

    /** Why connections are on TCP if there is no second queue; set before {@code goOn}. */
    private volatile Attempt why;

    private volatile boolean only; // the rule forbids TCP to a channel that was bound early
    private volatile OffloadListeners listening; // set once; null = none
    private volatile ReadinessEpoll epoll; // set once, before listening
    private boolean othersTurn; // the accepting thread's

    SwitchListener(SwitchSelectorProvider provider) {
        this.provider = provider;
    }

    /**
     * Goes on with a channel that listened before the switch had started.
     *
     * @param asked the address that the application asked to bind to
     * @param backlog the backlog that the application asked for
     */
    void goOn(ListeningChannel channel, SocketAddress asked, int backlog) throws IOException {
        Decision decision = ListenPort.decision(provider.owner, asked);
        only = decision.verdict() == Verdict.OFFLOAD_ONLY;
        InetSocketAddress at = (InetSocketAddress) channel.getLocalAddress();
        int lent = lentEpoll(channel, decision);
        if (lent < 0) {
            channel.goOn(this, false);
            return;
        }
        begin(channel, lent, decision, asked, backlog, at);
    }

    @Override
    public synchronized void bind(ListeningChannel channel, SocketAddress address, int backlog)
            throws IOException {
        Decision decision = ListenPort.decision(provider.owner, address);
        boolean free = channel.getLocalAddress() == null && decision != null;
        int lent = free ? lentEpoll(channel, decision) : -1;
        if (lent < 0) {
            if (free && decision.verdict() == Verdict.OFFLOAD_ONLY && channel.isOpen()) {
                provider.owner.counters().refused();
                throw new SocketException(
                        "Cannot listen for offloaded connections (%s; rule: %s)"
                                .formatted(why.detail(), decision.rule()));
            }
            channel.bindKernel(address, backlog); // the kernel says what is wrong
            return;
        }
        begin(channel, lent, decision, address, backlog, null);
    }

    /**
     * Returns the epoll descriptor through which a second queue can signal. Returns -1 if there
     * will be no second queue, and notes why.
     */
    private int lentEpoll(ListeningChannel channel, Decision decision) throws IOException {
        if (!decision.verdict().offloads()) {
            why = OffloadSwitch.byRule(decision);
            return -1;
        }
        int lent = channel.lendEpoll();
        if (lent < 0) {
            why =
                    Attempt.kernel(
                            ReasonCode.UNAVAILABLE, "the channel was selected before it was bound");
        }
        return lent;
    }

    /**
     * Begins to listen for offload, if that is possible.
     *
     * @param bound where the channel listens; null = it is still to be bound
     */
    private void begin(
            ListeningChannel channel,
            int lent,
            Decision decision,
            SocketAddress asked,
            int backlog,
            InetSocketAddress bound)
            throws IOException {
        OffloadSwitch owner = provider.owner;
        boolean listens = false;
        try {
            epoll = ReadinessEpoll.within(lent);
            OffloadListeners found =
                    bound != null
                            ? owner.listen(
                                    decision, bound, ListenPort.dualStack(bound), backlog, this)
                            : ListenPort.around(
                                    owner,
                                    decision,
                                    asked,
                                    backlog,
                                    this,
                                    channel,
                                    new KernelBind(channel, backlog));
            if (found.offloads()) {
                listening = found;
                channel.goOn(this, true);
                listens = true;
            } else {
                why = found.why();
            }
        } finally {
            if (!listens) {
                release();
                channel.goOn(this, false);
            }
        }
    }

    /** Not a lambda, which costs the start a millisecond. */
    private record KernelBind(ListeningChannel channel, int backlog) implements ListenPort.Bind {
        @Override
        public void to(SocketAddress address) throws IOException {
            channel.bindKernel(address, backlog);
        }
    }

    // --- the second queue ---

    /** Called by a provider when a stream waits to be accepted. */
    @Override
    public void run() {
        signal();
    }

    /**
     * Polls the second queue. The two queues take turns when both have something (behaviour 29).
     */
    @Override
    public SocketChannel poll(ListeningChannel channel, boolean kernelHasNone) throws IOException {
        if (!kernelHasNone) {
            othersTurn = !othersTurn;
            if (!othersTurn) {
                return null;
            }
        }
        OffloadListeners now = listening;
        return now.pending() ? provider.accepted(channel, now) : null;
    }

    @Override
    public SocketChannel accepted(ListeningChannel channel, SocketChannel byTcp)
            throws IOException {
        OffloadListeners now = listening;
        if (now == null && only) {
            provider.owner.counters().refused();
            reset(byTcp);
            return null;
        }
        if (now == null) {
            Attempt known = why;
            if (known != null) {
                provider.owner.counters().kernelAccepted(known.reason());
            }
            return provider.own(byTcp);
        }
        if (now.only()) {
            now.refused(byTcp.getRemoteAddress());
            reset(byTcp);
            return null;
        }
        Attempt known = now.why();
        provider.owner.counters().kernelAccepted(known.reason());
        AcceptedTable table =
                table(
                        (InetSocketAddress) byTcp.getLocalAddress(),
                        (InetSocketAddress) byTcp.getRemoteAddress());
        return table == null
                ? provider.own(byTcp)
                : provider.accepted(channel, byTcp, table, known);
    }

    private static void reset(SocketChannel byTcp) throws IOException {
        byTcp.setOption(StandardSocketOptions.SO_LINGER, 0);
        byTcp.close(); // too late to refuse: a reset comes nearest
    }

    /**
     * Returns the table in which a peer finds a connection that the kernel has accepted; null if
     * the connection may not move.
     */
    AcceptedTable table(InetSocketAddress here, InetSocketAddress there) {
        return listening == null ? null : listening.tableFor(here, there);
    }

    /** Returns why connections that the kernel accepts are on TCP. */
    Attempt whyByTcp() {
        return listening == null ? why : listening.why();
    }

    @Override
    public boolean pending() {
        return listening.pending();
    }

    @Override
    public void signal() {
        epoll.raise();
    }

    @Override
    public void consume() {
        epoll.lower();
    }

    @Override
    public void close() {
        if (listening != null) {
            listening.close();
            signal();
        }
    }

    @Override
    public void release() throws IOException {
        if (epoll != null) {
            epoll.close();
        }
    }
}
