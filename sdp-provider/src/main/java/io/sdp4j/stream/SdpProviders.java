package io.sdp4j.stream;

import io.sdp4j.fabric.FabricFactory;
import io.sdp4j.fabric.shm.ShmConfig;
import io.sdp4j.fabric.shm.ShmFabric;
import io.sdp4j.fabric.shm.ShmSettings;
import io.sdp4j.fabric.verbs.VerbsConfig;
import io.sdp4j.fabric.verbs.VerbsFabric;
import io.sdp4j.fabric.verbs.VerbsSettings;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.offload.jdk.LastHook;
import io.sdp4j.policy.Settings;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.FabricResolver;
import io.sdp4j.resolve.HostResolver;
import io.sdp4j.resolve.LocalAddresses;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes providers of SDP: knows alone which fabrics this build has. */
public final class SdpProviders {
    private static final Logger LOG = LoggerFactory.getLogger(SdpProviders.class);

    /** Of all providers, so that one that is closed leaves no thread. */
    private static final class Caretaker {
        static final EventLoop LOOP = caretaker();
    }

    private SdpProviders() {}

    /**
     * The provider that an application gets: every fabric of this build, each opened at its first
     * use.
     *
     * @param settings read once
     */
    public static SdpOffloadProvider create(Settings settings) {
        return create(settings, LocalAddresses.system(), List.of());
    }

    /**
     * The same.
     *
     * @param hosts this host's addresses, by a list that others use, too
     * @param plugins fabrics that are tried after those of this build; no two have one name
     */
    public static SdpOffloadProvider create(
            Settings settings, LocalAddresses hosts, List<FabricFactory> plugins) {
        EventLoop loop = Caretaker.LOOP;
        Map<String, FabricSet.Opener> openers = new LinkedHashMap<>();
        if (settings.flag(ShmSettings.ENABLED)) {
            openers.put(
                    HostResolver.SHM, () -> ShmFabric.open(shmConfig(settings), loop, LOG::warn));
        }
        FabricResolver resolver =
                settings.flag(ShmSettings.ENABLED)
                        ? new HostResolver(hosts)
                        : (local, remote) -> List.of();
        DeviceResolver devices = null;
        if (settings.flag(VerbsSettings.ENABLED)) {
            openers.put(DeviceResolver.VERBS, () -> VerbsFabric.open(verbsConfig(settings), loop));
            devices = DeviceResolver.behind(resolver, new KernelNetlink(loop));
            resolver = devices;
        }
        for (FabricFactory plugin : plugins) {
            openers.put(plugin.name(), () -> PluginFabric.open(plugin));
        }
        SdpOffloadProvider provider =
                new SdpOffloadProvider(
                        new FabricSet(openers),
                        PluginFabric.behind(resolver, plugins),
                        devices,
                        StreamSettings.of(settings),
                        Traces.writer(settings),
                        loop,
                        TimeUnit.MILLISECONDS.toNanos(
                                settings.longValue(VerbsSettings.CONNECT_TIMEOUT_MS)),
                        LOG::warn);
        if (settings.flag(VerbsSettings.ENABLED) || !plugins.isEmpty()) {
            provider.atExit().hook();
        }
        return provider;
    }

    private static EventLoop caretaker() {
        EventLoop loop =
                EventLoop.start(
                        "sdp4j-caretaker",
                        t -> LOG.error("a task of the event thread failed; report this", t));
        LastHook.add(loop::end);
        return loop;
    }

    static VerbsConfig verbsConfig(Settings settings) {
        VerbsConfig config = VerbsSettings.config(settings);
        int usual = config.spinnersMax();
        return config.withSpin(spinNanos(settings, usual), spinners(settings, usual));
    }

    static ShmConfig shmConfig(Settings settings) {
        ShmConfig config = ShmSettings.config(settings);
        int usual = config.spinnersMax();
        return config.withSpin(spinNanos(settings, usual), spinners(settings, usual));
    }

    private static long spinNanos(Settings settings, int usualSpinners) {
        return usualSpinners == 0
                ? 0
                : TimeUnit.MICROSECONDS.toNanos(settings.longValue(SdpSettings.SPIN_MAX_US));
    }

    private static int spinners(Settings settings, int usual) {
        int set = settings.intValue(SdpSettings.SPIN_SPINNERS_MAX);
        return set < 0 ? usual : set;
    }
}
