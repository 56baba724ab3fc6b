package io.sdp4j.offload.nio;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.ChannelBridge;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Optional;
import sun.nio.ch.ConnectionChannel;
import sun.nio.ch.ListeningChannel;

/** Entry point: makes the provider of switched channels. Stateless. */
public final class SwitchChannels {
    private SwitchChannels() {}

    /**
     * Returns a provider whose stream-socket channels pass {@code owner}. Everything else it opens
     * is the JDK's own, selectors included, so its channels and those of the JDK's provider may be
     * registered side by side. Opens no descriptor and starts no thread.
     *
     * @throws IllegalStateException with one sentence for people if this JVM does not give access
     *     to what is needed
     */
    public static SelectorProvider provider(OffloadSwitch owner) {
        return provider(owner, null);
    }

    /**
     * Returns such a provider.
     *
     * @param teach makes the JDK's file channels know {@link ConnectionChannel}s; run once, when a
     *     file goes to one for the first time; null = nothing
     */
    public static SelectorProvider provider(OffloadSwitch owner, Runnable teach) {
        Optional<String> problem = ChannelBridge.selfTest();
        if (problem.isPresent()) {
            throw new IllegalStateException(problem.get());
        }
        if (teach != null) {
            ConnectionChannel.atFirstFile(teach);
        }
        return new SwitchSelectorProvider(owner);
    }

    /**
     * Goes on with a channel that was made before there was a switch.
     *
     * @param provider the provider of a switch; for any other provider nothing is done
     * @param early a {@link ConnectionChannel}; or a {@link ListeningChannel}, then the address and
     *     the backlog that the application asked for
     */
    public static void goOn(SelectorProvider provider, Object[] early) throws IOException {
        if (!(provider instanceof SwitchSelectorProvider ours)) {
            return;
        }
        if (early[0] instanceof ListeningChannel channel) {
            new SwitchListener(ours).goOn(channel, (SocketAddress) early[1], (int) early[2]);
        } else {
            ours.goOn((ConnectionChannel) early[0]);
        }
    }

    /**
     * Returns where a channel's connection runs and why; empty if no switch knows the channel or it
     * has no connection.
     */
    public static Optional<ConnectionInfo> explain(SocketChannel channel) {
        SwitchedConnection known =
                ChannelBridge.selfTest().isEmpty() ? SwitchedConnection.of(channel) : null;
        return known == null ? Optional.empty() : known.connectionInfo();
    }
}
