package io.sdp4j.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.linux.Mapping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The other JVM of a test, of bad will, until it is killed: connects again and again, writes random
 * words anywhere into the memory, sends unwanted wake-up bytes, sends hand-shakes that make no
 * sense or never end. Prints a line for every connection that it has spoilt.
 */
public final class Hostile {
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int SILENT = 20;

    private final Random random;
    private final Path dir;
    private final ArrayDeque<SocketChannel> silent = new ArrayDeque<>();

    private Hostile(Path dir, long seed) {
        this.dir = dir;
        random = new Random(seed);
    }

    static Process start(Path dir, int port, long seed) throws IOException {
        return Peer.start(Hostile.class, dir, String.valueOf(port), String.valueOf(seed));
    }

    public static void main(String[] args) throws Exception {
        Path dir = Path.of(args[0]);
        Hostile me = new Hostile(dir, Long.parseLong(args[2]));
        InetSocketAddress victim =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1]));
        ShmFabric fabric = Ends.fabric(dir);
        while (true) {
            me.spoil(fabric, victim);
            me.babble();
            System.out.println("spoilt");
        }
    }

    private void spoil(ShmFabric fabric, InetSocketAddress victim) {
        QueuePair qp;
        try {
            qp = fabric.connect(Ends.request(victim, new byte[0], Peer.SPEC, 5)).queuePair();
        } catch (FabricException e) {
            return; // refused, and the next one may not be
        }
        MemorySegment mem = qp.sendMemory();
        long end = System.nanoTime() + ROUND_NANOS;
        boolean wakeBytes = random.nextBoolean();
        while (System.nanoTime() < end) {
            for (int i = 0; i < 64; i++) {
                long words = (random.nextBoolean() ? Mapping.PAGE_BYTES : mem.byteSize()) / 8;
                mem.set(JAVA_LONG, random.nextLong(words) * 8, random.nextLong());
            }
            if (wakeBytes) {
                ((ShmQueuePair) qp).liveness.link.ring();
            }
        }
        try {
            qp.abort();
            qp.close();
        } catch (RuntimeException e) {
            // its own memory is spoilt too
        }
    }

    /** Words at the door that are no hand-shake, and some that never come. */
    private void babble() throws IOException {
        List<Path> names;
        try (var files = Files.list(Ends.meeting(dir))) {
            names = files.toList();
        }
        for (Path name : names) {
            try {
                SocketChannel c = SocketChannel.open(StandardProtocolFamily.UNIX);
                c.configureBlocking(false);
                c.connect(UnixDomainSocketAddress.of(name));
                byte[] noise = new byte[random.nextInt(800)];
                random.nextBytes(noise);
                int sent = c.write(ByteBuffer.wrap(noise));
                assert sent >= 0;
                silent.add(c);
            } catch (IOException e) {
                // not a socket, or its queue is full
            }
        }
        while (silent.size() > SILENT) {
            silent.remove().close();
        }
    }
}
