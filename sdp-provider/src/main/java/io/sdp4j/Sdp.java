package io.sdp4j;

import io.sdp4j.offload.SwitchCounters;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Settings;
import io.sdp4j.stream.SdpProvider;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;

/**
 * Opens sockets that are SDP or fail: no rule is asked, nothing falls back to the kernel's TCP.
 *
 * <p>Works with and without the agent. Without it the JVM needs {@code
 * --enable-native-access=io.sdp4j.rdma} (or {@code ALL-UNNAMED} on the class path) for full speed;
 * where native access is denied, the pure-Java mode is used. Settings are read from system
 * properties at the first use.
 *
 * <p>Thread-safe.
 */
public final class Sdp {
    /** What the sockets of this API have done, apart from what the agent counts. */
    static final SwitchCounters COUNTERS = new SwitchCounters();

    private Sdp() {}

    /** An unconnected SDP socket. */
    public static Socket openSocket() throws IOException {
        return new SdpSocket();
    }

    /** An unbound SDP listener. */
    public static ServerSocket openServerSocket() throws IOException {
        return new SdpServerSocket();
    }

    static OffloadProvider provider() {
        return Holder.PROVIDER;
    }

    private static final class Holder {
        static final OffloadProvider PROVIDER =
                SdpProvider.create(
                        Settings.of(
                                Map.of(),
                                line ->
                                        System.getLogger("io.sdp4j")
                                                .log(System.Logger.Level.WARNING, line)));
    }
}
