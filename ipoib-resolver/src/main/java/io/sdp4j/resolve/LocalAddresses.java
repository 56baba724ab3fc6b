package io.sdp4j.resolve;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Which addresses are this host's, and on which interfaces they are.
 *
 * <p>Loopback (all of 127.0.0.0/8 and ::1) and the wildcard addresses, which mean this host as a
 * destination, are answered without a system call. For the rest all interfaces are listed at most
 * once per {@value #LIFETIME_MILLIS} ms, and the list is kept. An address that is not in a list
 * older than {@value #RECHECK_MILLIS} ms is looked for again, so that a new address is not refused
 * for a whole lifetime; one that went away may be called local that long.
 *
 * <p>Shape: one immutable snapshot behind a volatile; {@code listing} admits one thread to renew
 * it, others meanwhile answer from the old one (only the first ever list is made by the thread that
 * needs it). Bounded by {@value #MAX_ADDRESSES} addresses: more are not remembered and count as not
 * local, which costs the offload and nothing else. An IPv6 zone does not count.
 */
public final class LocalAddresses {
    static final int LIFETIME_MILLIS = 5_000;
    static final int RECHECK_MILLIS = 250;
    static final int MAX_ADDRESSES = 16_384;

    /** How the interfaces' addresses are found. */
    @FunctionalInterface
    public interface Lister {
        /**
         * Every address of this host with the name of its interface.
         *
         * @throws SocketException when the system does not say
         */
        Map<InetAddress, String> list() throws SocketException;
    }

    private record Snapshot(Map<InetAddress, String> interfaces, long madeNanos) {}

    private final Lister lister;
    private final LongSupplier nanoTime;
    private final AtomicBoolean listing = new AtomicBoolean();
    private volatile Snapshot snapshot;

    /**
     * Answers from a lister.
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
        if (address.isLoopbackAddress() || address.isAnyLocalAddress()) {
            return true;
        }
        if (address.isMulticastAddress()) {
            return false;
        }
        return find(address) != null;
    }

    /**
     * The interface an address of this host is on; empty for the wildcard and for foreign
     * addresses.
     */
    public Optional<String> interfaceName(InetAddress address) {
        return address.isAnyLocalAddress() || address.isMulticastAddress()
                ? Optional.empty()
                : Optional.ofNullable(find(address));
    }

    /** Every address of this host with the name of its interface, no older than the lifetime. */
    public Map<InetAddress, String> all() {
        return fresh(LIFETIME_MILLIS).interfaces;
    }

    private String find(InetAddress address) {
        String name = fresh(LIFETIME_MILLIS).interfaces.get(address);
        return name != null ? name : fresh(RECHECK_MILLIS).interfaces.get(address);
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
     * A system that does not answer has no address we could name: offload stays off, nothing
     * breaks.
     */
    private Map<InetAddress, String> list() {
        Map<InetAddress, String> all;
        try {
            all = lister.list();
        } catch (SocketException e) {
            return Map.of();
        }
        Map<InetAddress, String> bounded = new LinkedHashMap<>();
        for (Map.Entry<InetAddress, String> entry : all.entrySet()) {
            if (bounded.size() == MAX_ADDRESSES) {
                break;
            }
            bounded.put(entry.getKey(), entry.getValue());
        }
        return Collections.unmodifiableMap(bounded);
    }

    // Classes where lambdas would do: each lambda costs a start a millisecond.

    private static final class Interfaces implements Lister {
        @Override
        public Map<InetAddress, String> list() throws SocketException {
            Map<InetAddress, String> found = new LinkedHashMap<>();
            Enumeration<NetworkInterface> interfaces = NetworkInterface.getNetworkInterfaces();
            while (interfaces.hasMoreElements()) {
                NetworkInterface one = interfaces.nextElement();
                one.inetAddresses().forEach(a -> found.putIfAbsent(a, one.getName()));
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
