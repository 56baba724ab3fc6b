package io.sdp4j.offload;

import io.sdp4j.offload.jdk.JdkBridge;
import io.sdp4j.offload.net.SwitchSocketFactory;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;

/** Puts a switch behind {@link Socket} and {@link ServerSocket} of the whole JVM. */
public final class SwitchInstaller {
    private SwitchInstaller() {}

    /**
     * The result.
     *
     * @param installed whether new sockets go through the switch
     * @param problem one sentence that says why not; empty if they do
     */
    public record Outcome(boolean installed, String problem) {}

    /**
     * Installs both socket factories or, when anything is in the way, neither. Opens no descriptor
     * and starts no thread.
     */
    @SuppressWarnings("deprecation") // the factories are the only hook, and not to be removed
    public static synchronized Outcome install(OffloadSwitch target) {
        Optional<String> missing = JdkBridge.selfTest();
        if (missing.isPresent()) {
            return new Outcome(false, missing.get());
        }
        if (JdkBridge.clientFactory() != null || JdkBridge.serverFactory() != null) {
            return new Outcome(false, taken());
        }
        try {
            ServerSocket.setSocketFactory(SwitchSocketFactory.server(target));
        } catch (IOException e) {
            return new Outcome(false, taken());
        }
        try {
            Socket.setSocketImplFactory(SwitchSocketFactory.client(target));
        } catch (IOException e) {
            // Other code came between the look and the call. Our listeners must not stay alone.
            JdkBridge.removeServerFactory();
            return new Outcome(false, taken());
        }
        return new Outcome(true, "");
    }

    private static String taken() {
        return "another socket factory is installed already (client: "
                + JdkBridge.clientFactory()
                + ", server: "
                + JdkBridge.serverFactory()
                + ")";
    }
}
