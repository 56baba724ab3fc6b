package io.sdp4j.policy;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The hosts that one state of a rule file names, and their addresses as far as they are known. A
 * thread of their own looks them up. Thread-safe.
 */
final class NamedHosts implements HostLookup, Runnable {
    /** The answer to all names while they are collected. */
    private static final List<AddressRange> SOME = List.of(new AddressRange(false, 0, 0, 32));

    private final HostLookup resolver;
    private final Runnable late;

    /** In the order of the file. */
    private final Map<String, List<AddressRange>> known =
            Collections.synchronizedMap(new LinkedHashMap<>());

    /** Open while the thread that loads the file waits for the answers. */
    private final CountDownLatch answered = new CountDownLatch(1);

    /** All names are there: answers count from now on. */
    private volatile boolean collected;

    private volatile boolean asking;

    /**
     * Begins without any host.
     *
     * @param late told of each host that becomes known after the wait for it
     */
    NamedHosts(HostLookup resolver, Runnable late) {
        this.resolver = resolver;
        this.late = late;
    }

    @Override
    public List<AddressRange> ranges(String host) {
        known.putIfAbsent(host, List.of());
        return collected ? known.get(host) : SOME;
    }

    /** Returns the known addresses of each host. */
    Map<String, List<String>> literals() {
        Map<String, List<String>> literals = new LinkedHashMap<>();
        synchronized (known) {
            for (Map.Entry<String, List<AddressRange>> host : known.entrySet()) {
                List<String> addresses = new ArrayList<>();
                for (AddressRange address : host.getValue()) {
                    addresses.add(address.toString());
                }
                literals.put(host.getKey(), addresses);
            }
        }
        return literals;
    }

    /** Takes over what {@link #literals} gave; before any name is collected. */
    void know(Map<?, ?> literals) {
        for (Map.Entry<?, ?> host : literals.entrySet()) {
            List<AddressRange> addresses = new ArrayList<>();
            for (Object address : (List<?>) host.getValue()) {
                addresses.add(AddressRange.of(InetAddress.ofLiteral((String) address)));
            }
            known.put((String) host.getKey(), addresses);
        }
    }

    /** Whether the file names no host. */
    boolean none() {
        return known.isEmpty();
    }

    boolean allKnown() {
        return !known.containsValue(List.of());
    }

    /** Whether a thread looks them up. */
    boolean asking() {
        return asking;
    }

    /** Has a thread look up what is not known. */
    void ask() {
        collected = true;
        // by this name the shim knows a resolver's sockets, for which a thread that starts waits
        Thread thread = new Thread(Environment.topGroup(), this, "sdp4j-hosts", 0, false);
        thread.setDaemon(true);
        // with it the JDK's first look-up finds the application's resolver
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        asking = true;
        try {
            thread.start();
        } catch (OutOfMemoryError e) { // no thread: a later question tries again
            answered.countDown();
            asking = false;
        }
    }

    void awaitAnswers(long nanos) {
        long startNanos = System.nanoTime();
        boolean interrupted = false;
        for (long left = nanos; left > 0; ) {
            try {
                boolean _ = answered.await(left, TimeUnit.NANOSECONDS);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
                left = nanos - (System.nanoTime() - startNanos);
            }
        }
        answered.countDown(); // from now on each answer counts at once
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        try {
            for (String host : List.copyOf(known.keySet())) {
                if (known.get(host).isEmpty()) {
                    List<AddressRange> found = resolver.ranges(host);
                    known.put(host, found);
                    // until the count is 0 the thread that waits will see it
                    if (!found.isEmpty() && answered.getCount() == 0) {
                        late.run();
                    }
                }
            }
        } finally {
            answered.countDown();
            asking = false;
        }
    }
}
