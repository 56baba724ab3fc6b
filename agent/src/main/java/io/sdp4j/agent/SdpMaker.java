package io.sdp4j.agent;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.fabric.FabricFactory;
import io.sdp4j.fabric.shm.ShmSettings;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Settings;
import io.sdp4j.resolve.HostResolver;
import io.sdp4j.resolve.LocalAddresses;
import io.sdp4j.stream.SdpOffloadProvider;
import io.sdp4j.stream.SdpProviders;
import io.sdp4j.stream.SdpSettings;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Makes the provider of SDP. That is done at the first connection or listener that a rule wants
 * offloaded, so a JVM on kernel TCP pays nothing.
 *
 * @param plugins fabrics beside those of this build
 * @param sink takes lines for the operator
 */
record SdpMaker(
        Settings settings, LocalAddresses local, List<FabricFactory> plugins, Consumer<String> sink)
        implements LazyProvider.Maker {
    /**
     * Whether connections to {@code remote} move: onto shared memory if the address is this host's,
     * unless a rule prefers another fabric. Each connect asks, on its own thread.
     */
    @Override
    public boolean moves(InetAddress remote, List<String> fabrics) {
        return movesTo(fabrics) && local.listed(remote);
    }

    private boolean movesTo(List<String> fabrics) {
        return settings.flag(ShmSettings.ENABLED)
                && (fabrics.isEmpty() || fabrics.getFirst().equals(HostResolver.SHM));
    }

    /**
     * Whether listening may begin later: not if peers may come by another fabric, as they do not
     * come by TCP first.
     */
    @Override
    public boolean listensLater(List<String> fabrics) {
        return movesTo(fabrics) && !SdpSettings.usesDevices(settings) && plugins.isEmpty();
    }

    /** Whether to rehearse: not if the connection would be in a trace. */
    @Override
    public boolean rehearses(List<String> fabrics) {
        return movesTo(fabrics) && settings.text(SdpSettings.TRACE).isEmpty();
    }

    @Override
    public OffloadProvider make() {
        if (NativeGrant.apply(sink)) {
            Agent.started().told(ReasonCode.UNAVAILABLE);
        }
        SdpOffloadProvider provider = SdpProviders.create(settings, local, plugins);
        // opens the fabrics now, outside the time of the first connection
        Map<String, String> status = provider.fabricStatus();
        for (FabricFactory plugin : plugins) {
            String why = status.getOrDefault(plugin.name(), "");
            if (!why.isEmpty()) {
                sink.accept("sdp4j: plug-in fabric " + plugin.name() + " cannot be used: " + why);
                provider.told(plugin.name());
                Agent.started().told(why);
            }
        }
        return provider;
    }
}
