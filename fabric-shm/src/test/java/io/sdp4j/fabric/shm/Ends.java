package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.linux.EpollLoop;
import io.sdp4j.testing.HeldAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Loops and directories shared by the tests of one JVM; loops live as long as it does. */
final class Ends {
    static final Queue<Throwable> THROWN = new ConcurrentLinkedQueue<>();
    private static final EpollLoop LOOP = new EpollLoop("test-loop", THROWN::add);

    /** The user of the tests. */
    static final long UID = PeerCredentials.own().ownUid();

    /** The address that every client here claims, and holds. */
    static final InetSocketAddress HELD = HeldAddress.on(InetAddress.getLoopbackAddress());

    private Ends() {}

    static EpollLoop loop() {
        return LOOP;
    }

    static ShmFabric fabric(Path dir) throws IOException {
        return ShmFabric.open(config(dir), LOOP);
    }

    static ShmConfig config(Path dir) {
        return ShmConfig.defaults().withDirectory(dir);
    }

    static ShmConfig config(Path dir, long memoryMaxBytes) {
        ShmConfig usual = config(dir);
        return new ShmConfig(dir, usual.spinMaxNanos(), usual.spinnersMax(), memoryMaxBytes, true);
    }

    /** For a connection to {@code to} within twenty seconds. */
    static ConnectRequest request(InetSocketAddress to, QpSpec spec) {
        return request(to, new byte[0], spec, 20);
    }

    /** For a connection to {@code to} within so many seconds. */
    static ConnectRequest request(InetSocketAddress to, byte[] data, QpSpec spec, int seconds) {
        long now = System.nanoTime();
        long deadline = now + TimeUnit.SECONDS.toNanos(seconds);
        return new ConnectRequest(
                to, _ -> HELD, data, spec, now, deadline, deadline, () -> false, _ -> {}, -1);
    }

    static QueuePair connect(ShmFabric fabric, InetSocketAddress to, QpSpec spec)
            throws FabricException {
        return fabric.connect(request(to, spec)).queuePair();
    }

    /** A directory with a short name, because names of sockets must be. */
    static Path directory() throws IOException {
        return Files.createTempDirectory(Path.of("/tmp"), "sdp4j-t");
    }

    /** Where the processes of this user meet in {@code dir}. */
    static Path meeting(Path dir) {
        return dir.resolve("sdp4j-" + Ends.UID);
    }

    /** Removes it; returns the files left in it, for the caller to judge. */
    static List<String> remove(Path dir) throws IOException {
        List<String> left = new ArrayList<>();
        Path meeting = meeting(dir);
        try (var files = Files.walk(dir)) {
            for (Path f : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!f.equals(dir) && !f.equals(meeting)) {
                    left.add(f.getFileName().toString());
                }
                Files.delete(f);
            }
        }
        return left;
    }
}
