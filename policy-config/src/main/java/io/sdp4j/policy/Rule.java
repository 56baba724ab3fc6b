package io.sdp4j.policy;

import java.util.List;
import java.util.Objects;

/**
 * One rule of a rule file.
 *
 * <p>Shape: immutable. A rule matches when role, program, address and port all do. A rule for a
 * host name holds one range per address the name had when the file was loaded, so none when it had
 * none.
 *
 * @param role which end of a connection it speaks about
 * @param program shell pattern for the program's name
 * @param host the host name it was written with; empty when it was written with an address or
 *     {@code *}
 * @param anyAddress it was written with {@code *}: every address of both families
 * @param addresses the ranges it matches when not {@code anyAddress}
 * @param portLow first port, may lie outside 0 to 65535
 * @param portHigh last port, included
 * @param decision what it says
 */
public record Rule(
        Role role,
        String program,
        String host,
        boolean anyAddress,
        List<AddressRange> addresses,
        int portLow,
        int portHigh,
        Decision decision) {
    /** The highest port there is. */
    static final int MAX_PORT = 65535;

    /** Copies the list. */
    public Rule {
        Objects.requireNonNull(role);
        Objects.requireNonNull(program);
        addresses = List.copyOf(addresses);
    }

    /** Whether any socket of any program could match. */
    public boolean satisfiable() {
        return (anyAddress || !addresses.isEmpty())
                && portLow <= portHigh
                && portLow <= MAX_PORT
                && portHigh >= 0;
    }

    /** Whether its host name had no address when the file was loaded. */
    public boolean unknownHost() {
        return !host.isEmpty() && addresses.isEmpty();
    }

    /**
     * This rule as it counts now: one that allows nothing but offload holds for every address while
     * the addresses of its host are unknown, because each could be one of them.
     */
    Rule inForce() {
        return unknownHost() && decision.verdict() == Verdict.OFFLOAD_ONLY
                ? new Rule(role, program, host, true, addresses, portLow, portHigh, decision)
                : this;
    }

    boolean matchesProgram(String name) {
        return Glob.matchesProgram(program, name);
    }

    boolean matchesPort(int port) {
        return port >= portLow && port <= portHigh;
    }

    /**
     * Whether the address matches, which must be canonical (IPv4-mapped turned into IPv4). The two
     * wildcard addresses are the same place for a listener.
     */
    boolean matchesAddress(boolean ipv6, long high, long low) {
        if (anyAddress) {
            return true;
        }
        boolean wildcard = role == Role.LISTEN && high == 0 && low == 0;
        for (int i = 0; i < addresses.size(); i++) { // an iterator would be allocated
            AddressRange range = addresses.get(i);
            if (range.contains(ipv6, high, low) || (wildcard && range.contains(!ipv6, 0, 0))) {
                return true;
            }
        }
        return false;
    }

    /** Whether this rule alone takes everything {@code later} could match. */
    boolean covers(Rule later) {
        return role == later.role
                && Math.max(portLow, 0) <= Math.max(later.portLow, 0)
                && Math.min(portHigh, MAX_PORT) >= Math.min(later.portHigh, MAX_PORT)
                && Glob.covers(program, later.program)
                && coversAddresses(later);
    }

    private boolean coversAddresses(Rule later) {
        if (anyAddress) {
            return true;
        }
        if (later.anyAddress) {
            return addresses.stream().anyMatch(r -> r.ipv6() && r.prefix() == 0)
                    && addresses.stream().anyMatch(r -> !r.ipv6() && r.prefix() == 0);
        }
        for (AddressRange theirs : later.addresses) {
            boolean single = theirs.prefix() == (theirs.ipv6() ? 128 : 32);
            boolean covered =
                    single
                            ? matchesAddress(theirs.ipv6(), theirs.high(), theirs.low())
                            : addresses.stream().anyMatch(ours -> ours.covers(theirs));
            if (!covered) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return decision.toString();
    }
}
