package io.sdp4j.policy;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Asks once per name, limits the number of addresses, and turns a failure into an unknown host.
 * Lives as long as one parse; one thread.
 */
final class HostCache implements HostLookup {
    /** More addresses than this say nothing about a rule and cost time in each decision. */
    private static final int MAX_ADDRESSES = 32;

    private final HostLookup hosts;
    private final Map<String, List<AddressRange>> known = new HashMap<>();

    HostCache(HostLookup hosts) {
        this.hosts = hosts;
    }

    @Override
    public List<InetAddress> addresses(String host) {
        return hosts.addresses(host);
    }

    @Override
    public List<AddressRange> ranges(String host) {
        List<AddressRange> found = known.get(host);
        if (found == null) {
            found = ask(host);
            known.put(host, found);
        }
        return found;
    }

    private List<AddressRange> ask(String host) {
        try {
            List<AddressRange> found = hosts.ranges(host);
            return List.copyOf(found.subList(0, Math.min(found.size(), MAX_ADDRESSES)));
        } catch (RuntimeException e) {
            return List.of();
        }
    }
}
