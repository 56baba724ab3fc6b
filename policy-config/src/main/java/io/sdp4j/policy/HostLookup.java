package io.sdp4j.policy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** How host names in rule files become addresses. */
@FunctionalInterface
public interface HostLookup {
    /** The JDK's resolver. */
    HostLookup SYSTEM =
            new HostLookup() {
                // more say nothing about a rule and cost time in each decision
                private static final int MAX_ADDRESSES = 32;

                @Override
                public List<AddressRange> ranges(String host) {
                    List<AddressRange> ranges = new ArrayList<>();
                    try {
                        for (InetAddress address : InetAddress.getAllByName(host)) {
                            if (ranges.size() < MAX_ADDRESSES) {
                                ranges.add(AddressRange.of(address));
                            }
                        }
                    } catch (UnknownHostException | RuntimeException e) {
                        // no address
                    }
                    return List.copyOf(ranges);
                }
            };

    /**
     * A range for each address of {@code host}, best first; empty when it is unknown. Never null,
     * never throws.
     */
    List<AddressRange> ranges(String host);
}
