package io.sdp4j;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Setting;
import io.sdp4j.policy.Settings;
import io.sdp4j.policy.Verdict;
import io.sdp4j.stream.SdpProvider;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Opens sockets that are SDP or fail: no rule is asked, nothing falls back to the kernel's TCP.
 *
 * <p>Works with and without the agent. Without it the JVM needs {@code
 * --enable-native-access=io.sdp4j.linux,io.sdp4j.fabric.verbs} ({@code ALL-UNNAMED} if this library
 * is on the class path) for full speed; where native access is denied, the pure-Java mode is used.
 * Settings are read from system properties at the first use.
 *
 * <p>Thread-safe.
 */
public final class Sdp {
    private Sdp() {}

    /** An unconnected SDP socket. */
    public static Socket openSocket() throws IOException {
        return new SdpSocket();
    }

    /** An unbound SDP listener. */
    public static ServerSocket openServerSocket() throws IOException {
        return new SdpServerSocket();
    }

    /** The provider of {@link SdpSelectorProvider}. */
    static SelectorProvider channels() {
        return Channels.PROVIDER;
    }

    private static final class Channels {
        static final SelectorProvider PROVIDER = SwitchChannels.provider(owner());
    }

    /** The switch of this API: one rule, one provider, apart from what an agent installs. */
    static OffloadSwitch owner() {
        return Holder.OWNER;
    }

    private static OffloadSwitch onlySdp() {
        Settings settings =
                Settings.of(
                        Map.of(),
                        line ->
                                System.getLogger("io.sdp4j")
                                        .log(System.Logger.Level.WARNING, line));
        SwitchSettings defaults = SwitchSettings.defaults();
        Policy only =
                Policy.everything(
                        Decision.of(Verdict.OFFLOAD_ONLY, "the program asked for SDP", "io.sdp4j"));
        return new OffloadSwitch(
                () -> only,
                List.of(SdpProvider.create(settings)),
                new SwitchSettings(
                        TimeUnit.MILLISECONDS.toNanos(
                                settings.longValue(Setting.CONNECT_TIMEOUT_MS)),
                        defaults.missTtlNanos(),
                        defaults.missCapacity()));
    }

    private static final class Holder {
        static final OffloadSwitch OWNER = onlySdp();
    }
}
