package io.sdp4j.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds rules that are legal and useless. Quadratic in the number of rules: never on a data path.
 */
final class Linter {
    private Linter() {}

    static List<Lint> lint(List<Rule> rules) {
        List<Lint> found = new ArrayList<>();
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            add(rule, rule.unknownHost() ? unknownHost(rule) : null, found);
            add(rule, hostBits(rule), found);
            if (rule.satisfiable()) {
                add(rule, shadow(rule, rules.subList(0, i)), found);
                add(rule, options(rule), found);
            } else {
                add(rule, impossible(rule), found);
            }
        }
        return found;
    }

    /**
     * @param detail null = nothing was found
     */
    private static void add(Rule rule, String detail, List<Lint> found) {
        if (detail != null) {
            found.add(new Lint(rule, detail));
        }
    }

    private static String impossible(Rule rule) {
        if (rule.portLow() > rule.portHigh()) {
            return "never matches: no port is from " + rule.portLow() + " to " + rule.portHigh();
        }
        return rule.portLow() > Rule.MAX_PORT || rule.portHigh() < 0
                ? "never matches: ports go from 0 to " + Rule.MAX_PORT
                : null;
    }

    private static String shadow(Rule rule, List<Rule> before) {
        if (rule.role() == Role.CONNECT && rule.portLow() == 0 && rule.portHigh() == 0) {
            return "never matches: nothing connects to port 0";
        }
        for (Rule earlier : before) {
            if (earlier.satisfiable() && !earlier.unknownHost() && earlier.covers(rule)) {
                return "never decides: " + earlier + " takes everything it could match";
            }
        }
        return null;
    }

    private static String options(Rule rule) {
        Decision d = rule.decision();
        if (!d.verdict().offloads() && (!d.fabrics().isEmpty() || d.connectTimeoutNanos() >= 0)) {
            return "has options without effect: '" + d.verdict().word() + "' never offloads";
        }
        return rule.role() == Role.LISTEN && d.connectTimeoutNanos() >= 0
                ? "has a time-out without effect: a listener does not connect"
                : null;
    }

    /** Effect of a rule whose host has no address. */
    static String unknownHost(Rule rule) {
        return rule.decision().verdict() == Verdict.OFFLOAD_ONLY
                ? "refuses every address on its ports while host '" + rule.host() + "' is unknown"
                : "does not match while host '" + rule.host() + "' is unknown";
    }

    /**
     * An address and its prefix, as both dialects write them. A match never begins in the middle of
     * a run of such characters: that would take time quadratic in its length.
     */
    private static final Pattern PREFIXED =
            Pattern.compile("(?<![0-9a-fA-F:.])([0-9a-fA-F:.]++)\\]?/\\d");

    private static String hostBits(Rule rule) {
        Matcher written = PREFIXED.matcher(rule.decision().rule());
        if (rule.addresses().size() != 1 || !rule.host().isEmpty() || !written.find()) {
            return null;
        }
        AddressRange range = rule.addresses().getFirst();
        String address = written.group(1);
        AddressRange literal =
                address.indexOf(':') < 0 ? Literals.dottedQuad(address) : Literals.ipv6(address);
        return literal != null && (literal.high() != range.high() || literal.low() != range.low())
                ? "stands for every address of " + range + ": bits behind the prefix do not count"
                : null;
    }
}
