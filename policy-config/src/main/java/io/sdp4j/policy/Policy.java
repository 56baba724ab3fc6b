package io.sdp4j.policy;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The rules of one file as one program sees them, compiled: asks an address, gets a {@link
 * Decision}.
 *
 * <p>Shape: immutable and safe for any number of threads. One {@link Matcher} per role holds the
 * rules whose program pattern names this program; {@link #explain} and {@link #lint} walk the rules
 * as written.
 *
 * <p>Addresses are compared in canonical form: an IPv4-mapped IPv6 address is IPv4, and the two
 * wildcard addresses are the same place for {@link Role#LISTEN}. Rules for one family never match
 * the other; {@code *} matches both.
 */
public final class Policy {
    private static final Decision UNRESOLVED =
            Decision.of(Verdict.KERNEL, "address not resolved", Decision.DEFAULT_ORIGIN);

    private final List<Rule> rules;
    private final String programName;
    private final Decision otherwise;
    private final boolean connectAfterBind;
    private final Matcher connect;
    private final Matcher listen;
    private final boolean canConnect;
    private final boolean canListen;

    private Policy(
            List<Rule> rules, String programName, Decision otherwise, boolean connectAfterBind) {
        this.rules = List.copyOf(rules);
        this.programName = Objects.requireNonNull(programName);
        this.otherwise = Objects.requireNonNull(otherwise);
        this.connectAfterBind = connectAfterBind;
        connect = new Matcher(mine(Role.CONNECT), otherwise);
        listen = new Matcher(mine(Role.LISTEN), otherwise);
        canConnect = anyOffload(Role.CONNECT);
        canListen = anyOffload(Role.LISTEN);
    }

    /**
     * Compiles rules.
     *
     * @param rules in file order
     * @param programName the name program patterns are compared with
     * @param otherwise what holds when no rule matches
     * @param connectAfterBind see {@link #connectAfterBind}
     */
    static Policy of(
            List<Rule> rules, String programName, Decision otherwise, boolean connectAfterBind) {
        return new Policy(rules, programName, otherwise, connectAfterBind);
    }

    /** No rule at all: everything may be offloaded. */
    public static Policy allowAll() {
        return everything(
                Decision.of(Verdict.OFFLOAD_FIRST, "no rules: both", Decision.DEFAULT_ORIGIN));
    }

    /** One decision for everything. */
    public static Policy everything(Decision decision) {
        return new Policy(List.of(), "", decision, true);
    }

    private List<Rule> mine(Role role) {
        List<Rule> mine = new ArrayList<>();
        for (Rule rule : rules) {
            if (rule.role() == role && rule.matchesProgram(programName)) {
                mine.add(rule);
            }
        }
        return mine;
    }

    private boolean anyOffload(Role role) {
        for (Rule rule : mine(role)) {
            if (rule.satisfiable() && rule.decision().verdict().offloads()) {
                return true;
            }
            if (rule.anyAddress() && rule.portLow() <= 0 && rule.portHigh() >= Rule.MAX_PORT) {
                return false; // nothing gets past this one
            }
        }
        return otherwise.verdict().offloads();
    }

    /**
     * Verdict of the first matching rule. Allocates nothing.
     *
     * @param role the socket's role
     * @param ipv6 the family of the address
     * @param high first 64 bits of an IPv6 address; ignored for IPv4
     * @param low last 64 bits of an IPv6 address, or the 32 bits of an IPv4 address (the upper half
     *     is ignored, so a sign-extended int will do)
     * @param port 0 to 65535: the remote port, or the port asked for in a bind, 0 for an ephemeral
     *     one
     * @throws IllegalArgumentException when the port is out of range
     */
    public Decision decide(Role role, boolean ipv6, long high, long low, int port) {
        if (port >>> 16 != 0) {
            throw new IllegalArgumentException("port out of range");
        }
        Matcher matcher = role == Role.CONNECT ? connect : listen;
        if (!ipv6 || isMapped(high, low)) {
            return matcher.decide(false, 0, low & 0xffff_ffffL, port);
        }
        return matcher.decide(true, high, low, port);
    }

    /**
     * The same for a socket address; one that is not resolved is the kernel's business. Allocates
     * nothing for IPv4 and for IPv6 addresses asked about lately.
     */
    public Decision decide(Role role, InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            return UNRESOLVED;
        }
        if (ip instanceof Inet6Address six) {
            AddressBits bits = AddressBits.of(six);
            return decide(role, true, bits.high(), bits.low(), address.getPort());
        }
        return decide(role, false, 0, AddressBits.of((Inet4Address) ip), address.getPort());
    }

    private static boolean isMapped(long high, long low) {
        return high == 0 && low >>> 32 == 0xffff;
    }

    /**
     * False when no rule could ever offload a socket of this role in this program, so that nothing
     * needs to be set up for it. True is not a promise.
     */
    public boolean canOffload(Role role) {
        return role == Role.CONNECT ? canConnect : canListen;
    }

    /**
     * Whether connect rules count for a socket that was bound explicitly before it connects. They
     * do in the libsdp dialect. In the JDK's only the bind decides: ask {@link #decide} for {@link
     * Role#LISTEN} and the local address instead.
     */
    public boolean connectAfterBind() {
        return connectAfterBind;
    }

    /**
     * Verdict on a connection.
     *
     * @param bound what the program asked to bind to before, or null
     */
    public Decision decide(InetSocketAddress bound, InetSocketAddress remote) {
        return bound == null || connectAfterBind
                ? decide(Role.CONNECT, remote)
                : decide(Role.LISTEN, bound);
    }

    /** Whether there may be connections of this program that must be offloaded. */
    public boolean canRequireOffload() {
        boolean required = otherwise.verdict() == Verdict.OFFLOAD_ONLY;
        for (Rule rule : rules) {
            required |=
                    rule.decision().verdict() == Verdict.OFFLOAD_ONLY
                            && rule.matchesProgram(programName);
        }
        return required;
    }

    /** The name program patterns are compared with. */
    public String programName() {
        return programName;
    }

    /** All rules in file order, those for other programs included. */
    public List<Rule> rules() {
        return rules;
    }

    /** Verdict when no rule matches. */
    public Decision otherwise() {
        return otherwise;
    }

    /** Which rule decides for {@code program}, why, and which other rules came close. */
    public Explanation explain(Role role, String program, InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            return new Explanation(role, program, address, UNRESOLVED, null, List.of());
        }
        AddressRange a = AddressRange.of(ip);
        boolean mapped = a.ipv6() && isMapped(a.high(), a.low());
        boolean ipv6 = a.ipv6() && !mapped;
        long low = ipv6 ? a.low() : a.low() & 0xffff_ffffL;
        Rule winner = null;
        List<Explanation.Near> near = new ArrayList<>();
        for (Rule rule : rules) {
            List<String> misses = new ArrayList<>();
            if (rule.role() != role) {
                misses.add("it is a " + rule.role().word() + " rule");
            }
            if (!rule.matchesProgram(program)) {
                misses.add("it is for program " + rule.program());
            }
            if (!rule.matchesAddress(ipv6, a.high(), low)) {
                misses.add(
                        rule.addresses().isEmpty()
                                ? "host " + rule.host() + " is unknown"
                                : "the address differs");
            }
            if (!rule.matchesPort(address.getPort())) {
                misses.add("port " + address.getPort() + " is not in its range");
            }
            if (misses.isEmpty() && winner == null) {
                winner = rule;
            } else if (misses.isEmpty()) {
                near.add(new Explanation.Near(rule, "an earlier rule matches first"));
            } else if (misses.size() == 1) {
                near.add(new Explanation.Near(rule, misses.getFirst()));
            }
        }
        Decision decision = winner == null ? otherwise : winner.decision();
        return new Explanation(role, program, address, decision, winner, near);
    }

    /** Oddities of the rules, in file order. */
    public List<Lint> lint() {
        return Linter.lint(rules);
    }

    @Override
    public String toString() {
        return rules.size() + " rules, otherwise " + otherwise.verdict().word();
    }
}
