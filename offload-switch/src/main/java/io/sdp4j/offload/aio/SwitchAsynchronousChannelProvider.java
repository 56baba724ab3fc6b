package io.sdp4j.offload.aio;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.KernelAsync;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Role;
import java.io.IOException;
import java.nio.channels.AsynchronousChannel;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.IllegalChannelGroupException;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;

/**
 * Asynchronous channels of one switch. Thread-safe.
 *
 * <p>If no rule could offload a channel of its kind, or the caller is in a scope of {@link
 * KernelSockets}, the channel is the JDK's own, in the JDK's own group inside ours; it is not
 * counted.
 */
public final class SwitchAsynchronousChannelProvider extends AsynchronousChannelProvider {
    private final OffloadSwitch owner;
    private final KernelAsync kernel = KernelAsync.get();
    private SwitchChannelGroup defaultGroup; // this

    /** Makes one; there must be no {@link KernelAsync#problem}. */
    public SwitchAsynchronousChannelProvider(OffloadSwitch owner) {
        this.owner = owner;
    }

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(int threads, ThreadFactory factory)
            throws IOException {
        return group(kernel.provider().openAsynchronousChannelGroup(threads, factory));
    }

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(
            ExecutorService executor, int initialSize) throws IOException {
        return group(kernel.provider().openAsynchronousChannelGroup(executor, initialSize));
    }

    private SwitchChannelGroup group(AsynchronousChannelGroup inner) {
        return new SwitchChannelGroup(this, kernel, inner);
    }

    /**
     * Returns our group for the application's {@code group}; null stands for the default group
     * (behaviour 92).
     */
    private SwitchChannelGroup open(AsynchronousChannelGroup group) throws IOException {
        if (group == null) {
            synchronized (this) {
                if (defaultGroup == null) {
                    defaultGroup = group(kernel.defaultGroup());
                }
                return defaultGroup;
            }
        }
        if (!(group instanceof SwitchChannelGroup ours)) {
            throw new IllegalChannelGroupException();
        }
        ours.checkOpen();
        return ours;
    }

    @Override
    public AsynchronousServerSocketChannel openAsynchronousServerSocketChannel(
            AsynchronousChannelGroup group) throws IOException {
        SwitchChannelGroup in = open(group);
        AsynchronousServerSocketChannel inner = in.openKernelServer();
        return !KernelSockets.active() && owner.policy().canOffload(Role.LISTEN)
                ? member(in, new SwitchAsynchronousServerSocketChannel(owner, in, inner))
                : own(inner);
    }

    @Override
    public AsynchronousSocketChannel openAsynchronousSocketChannel(AsynchronousChannelGroup group)
            throws IOException {
        SwitchChannelGroup in = open(group);
        AsynchronousSocketChannel inner = in.openKernel();
        return !KernelSockets.active() && canOffloadConnect(owner.policy())
                ? member(in, new SwitchAsynchronousSocketChannel(owner, in, inner))
                : own(inner);
    }

    /**
     * Adds a channel to its group and then reports it to the switch. In the other order the switch
     * could close the channel first, which would then stay a member.
     */
    private <C extends AsynchronousChannel> C member(SwitchChannelGroup in, C channel)
            throws IOException {
        if (!in.add(channel)) {
            channel.close();
            throw new ShutdownChannelGroupException();
        }
        return own(channel);
    }

    private <C extends AsynchronousChannel> C own(C channel) {
        owner.opened(channel);
        return channel;
    }

    /** A bind may decide for the connect that follows it. */
    private static boolean canOffloadConnect(Policy policy) {
        return policy.canOffload(Role.CONNECT)
                || (!policy.connectAfterBind() && policy.canOffload(Role.LISTEN));
    }
}
