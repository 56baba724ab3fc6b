package io.sdp4j.resolve;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Knows this host's network, and reads it again only after the kernel announced a change of a link,
 * an address or an RDMA device. Nothing is polled. Routes are not kept: the kernel is asked for
 * each one, which costs microseconds and obeys all its routing rules.
 *
 * <p>Shape: {@code changes} counts announcements; a snapshot is good while the count is the one
 * from before the snapshot was read. The first question on a host with a device subscribes to
 * announcements; a host without one never opens a socket. While announcements are not available,
 * each question reads the network, and one of them tries again now and then. Thread-safe.
 */
final class NetworkWatch implements Closeable {
    private static final int UEVENT_KERNEL = 1;

    /** Pause before the next attempt to subscribe: descriptors or memory may have been short. */
    static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final byte[] SUBSYSTEM =
            "SUBSYSTEM=infiniband".getBytes(StandardCharsets.US_ASCII);

    private record Known(HostNetwork network, long changes) {}

    private final Netlink netlink;
    private final Path devices;
    private final LongSupplier nanoTime;
    private final KernelTables tables;
    private final AtomicLong changes = new AtomicLong();
    private volatile Known known;

    /** Guarded by this. */
    private final List<Closeable> subscriptions = new ArrayList<>();

    private boolean closed; // this
    private long triedNanos; // this
    private volatile boolean subscribed;

    /**
     * @param devices one entry for each RDMA device
     * @param nanoTime a clock as {@link System#nanoTime}
     */
    NetworkWatch(Netlink netlink, Path devices, LongSupplier nanoTime) {
        this.netlink = netlink;
        this.devices = devices;
        this.nanoTime = nanoTime;
        tables = new KernelTables(netlink);
        triedNanos = nanoTime.getAsLong() - AGAIN_NANOS;
    }

    KernelTables tables() {
        return tables;
    }

    /**
     * Returns the known state, or null if there is none or a change was announced since it was
     * read.
     */
    HostNetwork known() {
        Known k = known;
        return k != null && subscribed && k.changes == changes.get() ? k.network : null;
    }

    /**
     * Returns the current network, which is read if it is not known.
     *
     * @param names names of the RDMA devices that are there now
     */
    HostNetwork network(List<String> names) throws IOException {
        HostNetwork now = known();
        if (now != null && now.devices().equals(names)) {
            return now;
        }
        subscribe();
        long before = changes.get();
        HostNetwork read =
                HostNetwork.of(
                        tables.links(),
                        tables.addresses(),
                        names,
                        RdmaPort.all(devices),
                        new GidTables(nanoTime));
        known = new Known(read, before);
        return read;
    }

    private synchronized void subscribe() {
        long now = nanoTime.getAsLong();
        if (closed || subscribed || now - triedNanos < AGAIN_NANOS) {
            return;
        }
        triedNanos = now;
        try {
            subscriptions.add(
                    netlink.subscribe(Netlink.ROUTE, RouteMessages.GROUPS, d -> changed()));
            subscriptions.add(netlink.subscribe(Netlink.UEVENT, UEVENT_KERNEL, this::onUevent));
            changed(); // what was read before may have changed since
            subscribed = true;
        } catch (IOException | OutOfMemoryError e) {
            end();
        }
    }

    private void changed() {
        changes.incrementAndGet();
    }

    /**
     * Handles an announcement: {@code ACTION@PATH}, then {@code KEY=VALUE}s, each ended by a zero
     * byte. Subsystems whose names begin with {@code infiniband} are those of RDMA.
     */
    private void onUevent(byte[] datagram) {
        if (datagram.length == 0) {
            changed();
            return;
        }
        for (int at = 1; at + SUBSYSTEM.length <= datagram.length; at++) {
            int end = at + SUBSYSTEM.length;
            if (datagram[at - 1] == 0
                    && Arrays.equals(datagram, at, end, SUBSYSTEM, 0, SUBSYSTEM.length)) {
                changed();
                return;
            }
        }
    }

    private void end() {
        assert Thread.holdsLock(this);
        subscribed = false;
        for (Closeable s : subscriptions) {
            try {
                s.close();
            } catch (IOException e) {
                throw new AssertionError("closing a subscription", e);
            }
        }
        subscriptions.clear();
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            end();
        }
        tables.close();
    }
}
