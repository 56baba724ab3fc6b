package io.sdp4j.stream;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.shm.ShmFabric;
import io.sdp4j.fabric.verbs.VerbsFabric;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Setting;
import io.sdp4j.resolve.HostResolver;
import io.sdp4j.testing.JvmCommand;
import io.sdp4j.wire.SdpMachine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Another JVM that takes one stream, and never reads, until it is killed. */
public final class NeverReadingPeer {
    private NeverReadingPeer() {}

    static Process start(Path directory, boolean lends) throws IOException {
        String path =
                JvmCommand.placesOf(
                        NeverReadingPeer.class,
                        SdpOffloadProvider.class,
                        OffloadStream.class,
                        Setting.class,
                        EventLoop.class,
                        Fabric.class,
                        ShmFabric.class,
                        VerbsFabric.class,
                        HostResolver.class,
                        SdpMachine.class,
                        LoggerFactory.class);
        return JvmCommand.of(NeverReadingPeer.class, directory.toString(), String.valueOf(lends))
                .options("--enable-native-access=ALL-UNNAMED", "-Dslf4j.internal.verbosity=ERROR")
                .small()
                .classPath(path)
                .builder()
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Loans of both sides; offers of waiting reads included. */
    static StreamSettings.Zcopy zcopy(boolean lends) {
        return TestFabric.zcopy(lends, true);
    }

    /** Where it listens, once it does. */
    static int port(Process child) throws IOException {
        String line = child.inputReader().readLine();
        if (line == null) {
            throw new IOException("the child died");
        }
        return Integer.parseInt(line);
    }

    public static void main(String[] args) throws Exception {
        try (TestFabric fabric = TestFabric.in(Path.of(args[0]));
                ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            OffloadListener listener =
                    fabric.provider(zcopy(Boolean.parseBoolean(args[1])))
                            .listen(new ListenSpec(at, false, 5, List.of(), () -> {}));
            System.out.println(at.getPort());
            System.in.read(); // until killed
            listener.close();
        }
    }
}
