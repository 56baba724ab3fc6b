package io.sdp4j.policy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** How host names in rule files become addresses; asked once per name while a file is loaded. */
@FunctionalInterface
public interface HostLookup {
    /** The JDK's resolver. */
    HostLookup SYSTEM =
            new HostLookup() {
                @Override
                public List<InetAddress> addresses(String host) {
                    try {
                        return List.of(InetAddress.getAllByName(host));
                    } catch (UnknownHostException | RuntimeException e) {
                        return List.of();
                    }
                }
            };

    /**
     * All addresses of {@code host}, best first; empty when it is unknown. Never null, never
     * throws.
     */
    List<InetAddress> addresses(String host);

    /** The same, one range for each address. */
    default List<AddressRange> ranges(String host) {
        List<AddressRange> ranges = new ArrayList<>();
        for (InetAddress address : addresses(host)) {
            ranges.add(AddressRange.of(address));
        }
        return ranges;
    }
}
