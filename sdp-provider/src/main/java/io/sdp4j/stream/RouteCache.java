package io.sdp4j.stream;

import io.sdp4j.offload.spi.ConnectSpec;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Hosts to which an RDMA device led a moment ago. Asking the kernel for the route avoids attempts
 * that can only fail, and costs half a dozen system calls. A route that was just used is most
 * likely still there; where it is gone, the attempt fails as fast as the connection manager says
 * so.
 *
 * <p>Shape: a table of {@value #PLACES} places, one for each hash; the latest stays. Thread-safe
 * without locks: an entry that another thread overwrites is asked for again.
 */
final class RouteCache {
    /** Time for which a route is taken for granted. */
    static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int PLACES = 64;

    private record Host(InetAddress address, List<String> fabrics, long atNanos) {}

    private final AtomicReferenceArray<Host> hosts = new AtomicReferenceArray<>(PLACES);

    private static int place(InetAddress address) {
        int h = address.hashCode() * 0x9E3779B9;
        return h >>> 26;
    }

    /** Whether the same rule's fabrics led there at most {@link #TRUSTED_NANOS} ago. */
    boolean lately(ConnectSpec spec) {
        InetAddress address = spec.remote().getAddress();
        Host h = hosts.get(place(address));
        return h != null
                && h.address.equals(address)
                && h.fabrics.equals(spec.fabrics())
                && spec.askedNanos() - h.atNanos <= TRUSTED_NANOS;
    }

    /** An attempt that began at {@link ConnectSpec#askedNanos} has got there. */
    void note(ConnectSpec spec) {
        InetAddress address = spec.remote().getAddress();
        hosts.set(place(address), new Host(address, spec.fabrics(), spec.askedNanos()));
    }

    /** One has not. */
    void forget(ConnectSpec spec) {
        hosts.set(place(spec.remote().getAddress()), null);
    }
}
