package io.sdp4j;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.SdpConfig;
import io.sdp4j.api.SdpProvider;
import io.sdp4j.api.SdpServerSocket;
import io.sdp4j.api.SdpSocket;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.aio.SwitchAsynchronousSocketChannel;
import io.sdp4j.offload.jdk.ChannelBridge;
import io.sdp4j.offload.jdk.JdkBridge;
import io.sdp4j.offload.jdk.KernelAsync;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Environment;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.PolicySettings;
import io.sdp4j.policy.RuleFile;
import io.sdp4j.policy.RuleFileChoice;
import io.sdp4j.policy.Settings;
import io.sdp4j.policy.Verdict;
import io.sdp4j.stream.SdpOffloadProvider;
import io.sdp4j.stream.SdpProviders;
import io.sdp4j.stream.SdpSettings;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;

/**
 * One configuration of the public API: its own switch with one provider, separate from what an
 * agent installs.
 *
 * <p>{@code open} holds, weakly, the sockets and channels to be closed with this; its monitor also
 * guards {@code closed}. {@code this} guards the creation of the channel providers.
 */
final class ApiProvider implements SdpProvider {
    private final boolean closeable;
    private final SdpOffloadProvider streams;
    private final OffloadSwitch owner;
    private final SocketFactory sockets = new ApiSocketFactory(this);
    private final ServerSocketFactory listeners = new ApiServerSocketFactory(this);
    private final Set<Closeable> open = Collections.newSetFromMap(new WeakHashMap<>());
    private boolean closed;
    private SelectorProvider channels; // null until asked for
    private AsynchronousChannelProvider asynchronous; // null until asked for

    ApiProvider(SdpConfig config, boolean closeable) {
        JdkAccess.require(JdkBridge.selfTest());
        this.closeable = closeable;
        Settings settings =
                Settings.of(
                        SdpSettings.ALL,
                        config.properties(),
                        line ->
                                System.getLogger("io.sdp4j")
                                        .log(System.Logger.Level.WARNING, line));
        Policy policy = policy(config, settings);
        streams = SdpProviders.create(settings);
        owner =
                new OffloadSwitch(
                        () -> policy, List.of(streams), SwitchSettings.of(settings), this::opened);
    }

    private static Policy policy(SdpConfig config, Settings settings) {
        if (config.rules().isEmpty()) {
            return Policy.everything(
                    new Decision(
                            Verdict.OFFLOAD_ONLY,
                            config.fabrics(),
                            -1,
                            "the program asked for SDP",
                            "io.sdp4j.api"));
        }
        Environment environment = Environment.system();
        RuleFile rules = RuleFile.parse("rules", config.rules().orElseThrow(), environment.hosts());
        if (!rules.ok()) {
            throw new IllegalArgumentException(rules.errors().getFirst().message());
        }
        return rules.policy(
                RuleFileChoice.programName(settings.text(PolicySettings.PROGRAM), environment));
    }

    OffloadSwitch owner() {
        return owner;
    }

    /** Closes {@code socket} when this is closed; at once if this is closed already. */
    void opened(Closeable socket) {
        synchronized (open) {
            if (!closed) {
                open.add(socket);
                return;
            }
        }
        end(socket);
    }

    private static void end(Closeable socket) {
        try {
            socket.close();
        } catch (IOException | RuntimeException e) {
            // RuntimeException: of the application's executor, which is told of what ends
            System.getLogger("io.sdp4j").log(System.Logger.Level.DEBUG, "not closed", e);
        }
    }

    private void checkOpen() throws SocketException {
        synchronized (open) {
            if (closed) {
                throw new SocketException("SDP provider is closed");
            }
        }
    }

    @Override
    public SdpSocket openSocket() throws IOException {
        checkOpen();
        return new ApiSocket(this);
    }

    @Override
    public SdpServerSocket openServerSocket() throws IOException {
        checkOpen();
        return new ApiServerSocket(this);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        checkOpen();
        return selectorProvider().openSocketChannel();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        checkOpen();
        return selectorProvider().openServerSocketChannel();
    }

    @Override
    public AsynchronousSocketChannel openAsynchronousSocketChannel(AsynchronousChannelGroup group)
            throws IOException {
        checkOpen();
        return asynchronousChannelProvider().openAsynchronousSocketChannel(group);
    }

    @Override
    public AsynchronousServerSocketChannel openAsynchronousServerSocketChannel(
            AsynchronousChannelGroup group) throws IOException {
        checkOpen();
        return asynchronousChannelProvider().openAsynchronousServerSocketChannel(group);
    }

    @Override
    public SocketFactory socketFactory() {
        return sockets;
    }

    @Override
    public ServerSocketFactory serverSocketFactory() {
        return listeners;
    }

    @Override
    public synchronized SelectorProvider selectorProvider() {
        if (channels == null) {
            JdkAccess.require(ChannelBridge.selfTest());
            channels = SwitchChannels.provider(owner);
        }
        return channels;
    }

    @Override
    public synchronized AsynchronousChannelProvider asynchronousChannelProvider() {
        if (asynchronous == null) {
            JdkAccess.require(KernelAsync.problem());
            asynchronous = new SwitchAsynchronousChannelProvider(owner);
        }
        return asynchronous;
    }

    @Override
    public Optional<ConnectionInfo> connectionInfo(NetworkChannel channel) {
        return switch (channel) {
            case SocketChannel selectable -> SwitchChannels.explain(selectable);
            case AsynchronousSocketChannel c -> SwitchAsynchronousSocketChannel.explain(c);
            default -> Optional.empty();
        };
    }

    @Override
    public void close() {
        if (!closeable) {
            throw new UnsupportedOperationException("the provider of Sdp stays open");
        }
        List<Closeable> all;
        synchronized (open) {
            closed = true;
            all = List.copyOf(open);
            open.clear();
        }
        all.forEach(ApiProvider::end);
        streams.close();
    }
}
