package io.sdp4j.offload.nio;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.AcceptedTable;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.EarlyOffloadListeners;
import io.sdp4j.offload.ListenPort;
import io.sdp4j.offload.OffloadListeners;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.ReadinessEpoll;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import sun.nio.ch.ListeningChannel;
import sun.nio.ch.SecondQueue;

/**
 * The switch's part of one listening channel: the rules' decision and, where they allow offload,
 * the offload listeners beside the kernel's queue.
 *
 * <p>Connections that come by TCP and may not move are handed out as the JDK's own channels
 * (behaviour 57).
 */
final class SwitchListener implements SecondQueue, Runnable {
    private final SwitchSelectorProvider provider;
    private volatile Attempt why; // connections that the kernel accepts are there, without a queue
    private volatile OffloadListeners listening; // set once; null = none
    private volatile ReadinessEpoll epoll; // set once, before listening
    private boolean othersTurn; // the accepting thread's

    private SwitchListener(SwitchSelectorProvider provider) {
        this.provider = provider;
    }

    /** A new channel, of {@code family} or if that is null of the default one. */
    static ServerSocketChannel open(SwitchSelectorProvider provider, ProtocolFamily family)
            throws IOException {
        return new ListeningChannel(provider, family, new SwitchListener(provider));
    }

    /**
     * Goes on with a channel that listened before the switch had started.
     *
     * @param asked what the application asked to bind to
     * @param backlog what it asked for
     */
    static void goOn(
            SwitchSelectorProvider provider, Object channel, SocketAddress asked, int backlog)
            throws IOException {
        new SwitchListener(provider).goOn((ListeningChannel) channel, asked, backlog);
    }

    private void goOn(ListeningChannel channel, SocketAddress asked, int backlog)
            throws IOException {
        Decision decision = EarlyOffloadListeners.decision(provider.owner(), asked);
        InetSocketAddress at = (InetSocketAddress) channel.getLocalAddress();
        if (staysOnKernel(channel, decision)) {
            channel.goOn(this, false);
            return;
        }
        boolean keep = false;
        try {
            OffloadListeners found =
                    provider.owner()
                            .listen(
                                    decision,
                                    at,
                                    EarlyOffloadListeners.dualStack(at),
                                    kernelBacklog(backlog),
                                    this);
            keep = begin(channel, found);
        } finally {
            if (!keep) {
                release();
                channel.goOn(this, false);
            }
        }
    }

    @Override
    public synchronized void bind(ListeningChannel channel, SocketAddress address, int backlog)
            throws IOException {
        Decision decision = EarlyOffloadListeners.decision(provider.owner(), address);
        if (channel.getLocalAddress() != null
                || decision == null
                || staysOnKernel(channel, decision)) {
            channel.bindKernel(address, backlog); // which says what is wrong
            return;
        }
        boolean keep = false;
        try {
            OffloadListeners found =
                    EarlyOffloadListeners.around(
                            provider.owner(),
                            decision,
                            address,
                            kernelBacklog(backlog),
                            this,
                            channel,
                            new KernelBind(channel, backlog));
            keep = begin(channel, found);
        } finally {
            if (!keep) {
                release();
                channel.goOn(this, false);
            }
        }
    }

    /** Whether there will be no second queue, for a reason that is noted; else it can signal. */
    private boolean staysOnKernel(ListeningChannel channel, Decision decision) throws IOException {
        if (!decision.verdict().offloads()) {
            why = OffloadSwitch.byRule(decision);
            return true;
        }
        int value = channel.lendEpoll();
        if (value < 0) {
            why =
                    Attempt.kernel(
                            ReasonCode.UNAVAILABLE, "the channel was selected before it was bound");
            return true;
        }
        epoll = ReadinessEpoll.within(value);
        return false;
    }

    private boolean begin(ListeningChannel channel, OffloadListeners found) throws IOException {
        if (!found.offloads()) {
            why = found.why();
            return false;
        }
        listening = found;
        channel.goOn(this, true);
        return true;
    }

    /** The kernel's reading of a backlog. */
    private static int kernelBacklog(int asked) {
        return asked < 1 ? 50 : asked;
    }

    /** No lambda: it costs a start a millisecond. */
    private record KernelBind(ListeningChannel channel, int backlog) implements ListenPort.Bind {
        @Override
        public void to(SocketAddress address) throws IOException {
            channel.bindKernel(address, backlog);
        }
    }

    // --- the second queue ---

    /** Called by providers when a stream waits. */
    @Override
    public void run() {
        signal();
    }

    /** The two queues take turns when both have something (behaviour 29). */
    @Override
    public SocketChannel poll(ListeningChannel channel, boolean kernelHasNone) throws IOException {
        if (!kernelHasNone) {
            othersTurn = !othersTurn;
            if (!othersTurn) {
                return null;
            }
        }
        OffloadStream stream = listening.poll();
        return stream == null
                ? null
                : new SwitchSocketChannel(provider, stream, channel.receiveBuffer());
    }

    @Override
    public SocketChannel accepted(SocketChannel byTcp) throws IOException {
        OffloadListeners now = listening;
        if (now == null) {
            Attempt known = why;
            if (known != null) {
                provider.owner().counters().kernelAccepted(known.reason());
            }
            return byTcp;
        }
        if (now.only()) {
            byTcp.setOption(StandardSocketOptions.SO_LINGER, 0);
            byTcp.close(); // a reset is the nearest to "refused" that is left
            return null;
        }
        Attempt known = now.why();
        provider.owner().counters().kernelAccepted(known.reason());
        AcceptedTable table = now.accepted();
        return table == null ? byTcp : SwitchSocketChannel.accepted(provider, byTcp, table, known);
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
        OffloadListeners now = listening;
        if (now != null) {
            now.close();
            signal();
        }
    }

    @Override
    public void release() throws IOException {
        ReadinessEpoll made = epoll;
        if (made != null) {
            made.close();
        }
    }
}
