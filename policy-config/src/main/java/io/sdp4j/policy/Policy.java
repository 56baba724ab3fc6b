package io.sdp4j.policy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The rules of one file as one program sees them: gives the {@link Decision} for an address.
 *
 * <p>Shape: immutable and safe for any number of threads. A decision walks the rules of its role
 * whose program pattern names this program; {@link #explain} and {@link #lint} walk the rules as
 * written.
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
    private final Rule[] connect;
    private final Rule[] listen;
    private final boolean canConnect;
    private final boolean canListen;

    /**
     * The rules as one program sees them.
     *
     * @param rules in file order
     * @param programName the name program patterns are compared with
     * @param otherwise what holds when no rule matches
     * @param connectAfterBind see {@link #connectAfterBind}
     */
    Policy(List<Rule> rules, String programName, Decision otherwise, boolean connectAfterBind) {
        this.rules = List.copyOf(rules);
        this.programName = Objects.requireNonNull(programName);
        this.otherwise = Objects.requireNonNull(otherwise);
        this.connectAfterBind = connectAfterBind;
        connect = mine(Role.CONNECT);
        listen = mine(Role.LISTEN);
        canConnect = anyOffload(connect);
        canListen = anyOffload(listen);
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

    private Rule[] mine(Role role) {
        List<Rule> mine = new ArrayList<>();
        for (Rule rule : rules) {
            if (rule.role() == role && rule.matchesProgram(programName)) {
                mine.add(rule);
            }
        }
        return mine.toArray(new Rule[0]);
    }

    private boolean anyOffload(Rule[] mine) {
        for (Rule rule : mine) {
            if (rule.satisfiable() && rule.decision().verdict().offloads()) {
                return true;
            }
            if (rule.anyAddress() && rule.portLow() <= 0 && rule.portHigh() >= Rule.MAX_PORT) {
                return false; // nothing gets past this one
            }
        }
        return otherwise.verdict().offloads() || otherwise.lacksRules();
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
        boolean six = ipv6 && !isMapped(high, low);
        long first = six ? high : 0;
        long last = six ? low : low & 0xffff_ffffL;
        for (Rule rule : role == Role.CONNECT ? connect : listen) {
            if (rule.matchesPort(port) && rule.matchesAddress(six, first, last)) {
                return rule.decision();
            }
        }
        return otherwise;
    }

    /** The same for a socket address; one that is not resolved is left to the kernel. */
    public Decision decide(Role role, InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            return UNRESOLVED;
        }
        byte[] a = ip.getAddress();
        return a.length == 4
                ? decide(role, false, 0, AddressRange.bits(a, 0, 4), address.getPort())
                : decide(
                        role,
                        true,
                        AddressRange.bits(a, 0, 8),
                        AddressRange.bits(a, 8, 16),
                        address.getPort());
    }

    private static boolean isMapped(long high, long low) {
        return high == 0 && low >>> 32 == 0xffff;
    }

    /**
     * False when no rule could ever offload a socket of this role in this program, so that nothing
     * needs to be set up for it. True is not a promise. Where the rule file was refused it is true:
     * what lacks rules is to be counted.
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

    /** All rules in file order, those for other programs included. */
    public List<Rule> rules() {
        return rules;
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
}
