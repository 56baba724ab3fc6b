package io.sdp4j.resolve;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Knows which addresses are this host's.
 *
 * <p>Loopback (all of 127.0.0.0/8 and ::1) and the wildcard addresses, which mean this host as a
 * destination, are answered without a system call. For other addresses all interfaces are listed,
 * and the list is kept for {@value #LIFETIME_MILLIS} ms. If {@link #contains} does not find the
 * address in a list that is older than {@value #RECHECK_MILLIS} ms, a new list is made, so that a
 * new address is found earlier. An address that was removed may be called local for {@value
 * #LIFETIME_MILLIS} ms.
 *
 * <p>Shape: one immutable snapshot in a volatile field. {@code listing} admits one thread to renew
 * it; other threads answer from the old snapshot meanwhile. Until there is a first snapshot, each
 * thread makes the list itself. IPv6 zones are ignored. Thread-safe.
 */
public final class LocalAddresses {
    static final int LIFETIME_MILLIS = 5_000;
    static final int RECHECK_MILLIS = 250;

    /** Lists the addresses of the interfaces. */
    @FunctionalInterface
    public interface Lister {
        /**
         * Every address of this host.
         *
         * @throws SocketException if the system does not say
         */
        Set<InetAddress> list() throws SocketException;
    }

    private record Snapshot(Set<InetAddress> addresses, long madeNanos) {}

    private final Lister lister;
    private final LongSupplier nanoTime;
    private final AtomicBoolean listing = new AtomicBoolean();
    private volatile Snapshot snapshot;

    /**
     * Answers from the lists of {@code lister}.
     *
     * @param nanoTime a clock as {@link System#nanoTime}
     */
    public LocalAddresses(Lister lister, LongSupplier nanoTime) {
        this.lister = Objects.requireNonNull(lister);
        this.nanoTime = Objects.requireNonNull(nanoTime);
    }

    /** This host's addresses. */
    public static LocalAddresses system() {
        return new LocalAddresses(new Interfaces(), new Clock());
    }

    /** Whether a connection to {@code address} ends on this host. */
    public boolean contains(InetAddress address) {
        return listed(address)
                || (!address.isMulticastAddress()
                        && fresh(RECHECK_MILLIS).addresses.contains(address));
    }

    /**
     * As {@link #contains}, but a new address may be called foreign for {@value #LIFETIME_MILLIS}
     * ms. For all connects of a program: an address of another host is in no list, and each list
     * takes system calls for every interface.
     */
    public boolean listed(InetAddress address) {
        if (address.isLoopbackAddress() || address.isAnyLocalAddress()) {
            return true;
        }
        return !address.isMulticastAddress() && fresh(LIFETIME_MILLIS).addresses.contains(address);
    }

    private Snapshot fresh(int maxAgeMillis) {
        Snapshot known = snapshot;
        long now = nanoTime.getAsLong();
        if (known != null && now - known.madeNanos < maxAgeMillis * 1_000_000L) {
            return known;
        }
        boolean mine = listing.compareAndSet(false, true);
        if (!mine && known != null) {
            return known;
        }
        try {
            Snapshot made = new Snapshot(list(), now);
            snapshot = made;
            return made;
        } finally {
            if (mine) {
                listing.set(false);
            }
        }
    }

    /**
     * Returns the addresses, or none if the system does not answer: then offload stays off and
     * nothing breaks.
     */
    private Set<InetAddress> list() {
        try {
            return Set.copyOf(lister.list());
        } catch (SocketException e) {
            return Set.of();
        }
    }

    // Classes instead of lambdas, because each lambda adds a millisecond to the start.

    private static final class Interfaces implements Lister {
        @Override
        public Set<InetAddress> list() throws SocketException {
            Set<InetAddress> found = new HashSet<>();
            Enumeration<NetworkInterface> interfaces = NetworkInterface.getNetworkInterfaces();
            while (interfaces.hasMoreElements()) {
                Enumeration<InetAddress> here = interfaces.nextElement().getInetAddresses();
                while (here.hasMoreElements()) {
                    found.add(here.nextElement());
                }
            }
            return found;
        }
    }

    private static final class Clock implements LongSupplier {
        @Override
        public long getAsLong() {
            return System.nanoTime();
        }
    }
}
