package io.sdp4j.bench.nio;

import io.sdp4j.bench.net.LinkWork;
import io.sdp4j.bench.net.NetServer;
import io.sdp4j.bench.net.Place;
import io.sdp4j.bench.net.Samples;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Round trips of a busy channel that has its selector for itself, and of one that shares it with
 * idle channels, at both ends, in turns.
 */
record Crowd(Ports ports) {
    private static final int BLOCK_BYTES = 64;
    private static final int TURN_MS = 20;

    /**
     * Measures both.
     *
     * @param idle how many idle channels there are of each kind: offloaded, if anything is, and
     *     always on the kernel
     * @return {@code alone} and {@code p50}: medians in nanoseconds; {@code crowd}: the second over
     *     the first
     */
    String measure(int idle, int warmMs, int measureMs) throws IOException {
        List<SocketChannel> idlers = new ArrayList<>();
        try (SelectorLink alone = open(new byte[] {NetServer.STAY}, List.of())) {
            idle(idlers, idle, Place.here(), ports.selectors());
            idle(idlers, idle, Ports.kernelHere(), ports.kernel());
            ByteBuffer words = ByteBuffer.allocate(5);
            words.put((byte) NioServer.CROWDED).putInt(idlers.size());
            try (SelectorLink crowded = open(words.array(), idlers)) {
                Samples one = new Samples(Math.max(warmMs, measureMs), 1);
                Samples other = new Samples(Math.max(warmMs, measureMs), 1);
                inTurns(alone, one, crowded, other, warmMs);
                one.clear();
                other.clear();
                inTurns(alone, one, crowded, other, measureMs);
                return text(Samples.sorted(List.of(one)), Samples.sorted(List.of(other)));
            }
        } finally {
            for (SocketChannel channel : idlers) {
                channel.close();
            }
        }
    }

    private static String text(int[] alone, int[] crowded) {
        int one = alone[alone.length / 2];
        int other = crowded[crowded.length / 2];
        return String.format(
                Locale.ROOT,
                "alone=%d p50=%d crowd=%.4f n=%d",
                one,
                other,
                (double) other / one,
                crowded.length);
    }

    private static void inTurns(
            SelectorLink alone, Samples one, SelectorLink crowded, Samples other, int forMs)
            throws IOException {
        for (int ms = 0; ms < forMs; ms += 2 * TURN_MS) {
            LinkWork.roundTrips(alone, BLOCK_BYTES, one, TURN_MS);
            LinkWork.roundTrips(crowded, BLOCK_BYTES, other, TURN_MS);
        }
    }

    private SelectorLink open(byte[] words, List<SocketChannel> idlers) throws IOException {
        SocketChannel channel = Ports.connect(Place.here(), ports.selectors());
        channel.write(ByteBuffer.wrap(words));
        SelectorLink link = new SelectorLink(channel, idlers);
        link.noDelay();
        return link;
    }

    private static void idle(List<SocketChannel> idlers, int n, InetAddress address, int port)
            throws IOException {
        for (int i = 0; i < n; i++) {
            SocketChannel channel = Ports.connect(address, port);
            idlers.add(channel);
            channel.write(ByteBuffer.wrap(new byte[] {NioServer.IDLE}));
        }
    }
}
