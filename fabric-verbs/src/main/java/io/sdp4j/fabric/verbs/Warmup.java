package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.linux.DaemonThread;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Rehearses the first connection once, in the background, when a fabric is opened: makes a queue
 * pair to this host itself, by the first interface that a device serves, and discards it. Otherwise
 * the costs of a first connection (libraries, classes, compilation) would reduce the time that a
 * peer has to answer, because most of them arise on the event thread. Other devices are not used,
 * because memory would be registered there that may never be needed.
 */
final class Warmup {
    /**
     * Longest wait for one interface. The path to its own address needs no answer but that of a
     * subnet manager.
     */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time limit for one interface, including the time that this process needs for itself. */
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The smallest possible queue pair. */
    private static final QpSpec SPEC = new QpSpec(1, 64, 1);

    private static final int ANY_PORT = 1;

    private final VerbsFabric fabric;
    private final CmChannel channel;
    private final CountDownLatch over = new CountDownLatch(1);

    Warmup(VerbsFabric fabric, CmChannel channel) {
        this.fabric = fabric;
        this.channel = channel;
    }

    void begin() {
        try {
            DaemonThread.of("sdp4j-rehearsal", this::run).start();
        } catch (OutOfMemoryError e) {
            skip(); // no thread: the first connection takes longer
        }
    }

    /** There will be no rehearsal. */
    void skip() {
        over.countDown();
    }

    /** See {@link io.sdp4j.fabric.Fabric#awaitReady}. */
    boolean await(long nanos) {
        if (over.getCount() == 0) {
            return true;
        }
        long end = System.nanoTime() + nanos;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return over.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run() {
        try {
            boolean done = false;
            for (InetAddress address : addresses()) {
                done = done || fabric.closed || rehearse(address);
            }
        } catch (SocketException | RuntimeException e) {
            // a connect meets the same error again and reports it
        } finally {
            over.countDown();
            channel.loop.execute(fabric::shutIfUnused);
        }
    }

    /** Whether a device serves {@code address}. */
    private boolean rehearse(InetAddress address) {
        long now = System.nanoTime();
        InetSocketAddress self = new InetSocketAddress(address, ANY_PORT);
        try {
            new VerbsActiveSide(
                            fabric,
                            channel,
                            new ConnectRequest(
                                    self,
                                    _ -> self,
                                    new byte[0],
                                    SPEC,
                                    now,
                                    now + PATIENCE_NANOS,
                                    now + LIMIT_NANOS,
                                    () -> fabric.closed,
                                    _ -> {},
                                    -1),
                            now)
                    .rehearse();
            return true;
        } catch (FabricException e) {
            return false; // no RDMA device serves it, or a connect reports the reason
        }
    }

    /** Returns one address of each interface that is up and not loopback. */
    private static List<InetAddress> addresses() throws SocketException {
        List<InetAddress> found = new ArrayList<>();
        for (NetworkInterface i : NetworkInterface.networkInterfaces().toList()) {
            if (i.isUp() && !i.isLoopback()) {
                i.inetAddresses()
                        .filter(a -> !a.isLinkLocalAddress())
                        .min(Comparator.comparingInt(a -> a.getAddress().length))
                        .ifPresent(found::add);
            }
        }
        return found;
    }
}
