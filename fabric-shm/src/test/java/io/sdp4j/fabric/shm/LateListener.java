package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.ListenRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The other JVM of {@link NamesAtExitTest}: a listener is made while it ends. */
public final class LateListener {
    private LateListener() {}

    /**
     * @param args directory, whether there was a listener before
     */
    public static void main(String[] args) throws Exception {
        Path dir = Path.of(args[0]);
        ShmFabric fabric = Ends.fabric(dir);
        boolean another = Boolean.parseBoolean(args[1]);
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    if (another) {
                                        awaitNoName(dir);
                                    }
                                    listen(fabric);
                                    System.out.println("listened");
                                }));
        if (another) {
            listen(fabric);
        }
        System.exit(0);
    }

    private static void listen(ShmFabric fabric) {
        try {
            ServerSocket kernel = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            fabric.listen(
                    new ListenRequest(
                            (InetSocketAddress) kernel.getLocalSocketAddress(),
                            false,
                            r -> r.reject(new byte[0])));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitNoName(Path dir) {
        while (true) {
            try (var names = Files.list(Ends.meeting(dir))) {
                if (names.findAny().isEmpty()) {
                    return;
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
