package io.sdp4j.policy;

import java.util.ArrayList;
import java.util.List;
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
            if (rule.unknownHost()) {
                found.add(new Lint(rule, unknownHost(rule)));
            }
            hostBits(rule, found);
            if (rule.satisfiable()) {
                shadow(rules, i, found);
                options(rule, found);
            } else {
                impossible(rule, found);
            }
        }
        return found;
    }

    private static void impossible(Rule rule, List<Lint> found) {
        if (rule.portLow() > rule.portHigh()) {
            String detail =
                    "never matches: no port is from " + rule.portLow() + " to " + rule.portHigh();
            found.add(new Lint(rule, detail));
        } else if (rule.portLow() > Rule.MAX_PORT || rule.portHigh() < 0) {
            String detail = "never matches: ports go from 0 to " + Rule.MAX_PORT;
            found.add(new Lint(rule, detail));
        }
    }

    private static void shadow(List<Rule> rules, int i, List<Lint> found) {
        Rule rule = rules.get(i);
        if (rule.role() == Role.CONNECT && rule.portLow() == 0 && rule.portHigh() == 0) {
            String detail = "never matches: nothing connects to port 0";
            found.add(new Lint(rule, detail));
            return;
        }
        for (Rule earlier : rules.subList(0, i)) {
            if (earlier.satisfiable() && !earlier.unknownHost() && earlier.covers(rule)) {
                String detail = "never decides: " + earlier + " takes everything it could match";
                found.add(new Lint(rule, detail));
                return;
            }
        }
    }

    private static void options(Rule rule, List<Lint> found) {
        Decision d = rule.decision();
        if (!d.verdict().offloads() && (!d.fabrics().isEmpty() || d.connectTimeoutNanos() >= 0)) {
            String detail =
                    "has options without effect: '" + d.verdict().word() + "' never offloads";
            found.add(new Lint(rule, detail));
        } else if (rule.role() == Role.LISTEN && d.connectTimeoutNanos() >= 0) {
            String detail = "has a time-out without effect: a listener does not connect";
            found.add(new Lint(rule, detail));
        }
    }

    /** Effect of a rule whose host has no address. */
    static String unknownHost(Rule rule) {
        return rule.decision().verdict() == Verdict.OFFLOAD_ONLY
                ? "refuses every address on its ports while host '" + rule.host() + "' is unknown"
                : "does not match while host '" + rule.host() + "' is unknown";
    }

    /** An address and its prefix, as both dialects write them. */
    private static final Pattern PREFIXED =
            Pattern.compile("\\[?([0-9a-fA-F:.]+)(?:\\]/|/)(\\d+)\\]?");

    private static void hostBits(Rule rule, List<Lint> found) {
        java.util.regex.Matcher written = PREFIXED.matcher(rule.decision().rule());
        if (rule.addresses().size() != 1 || !rule.host().isEmpty() || !written.find()) {
            return;
        }
        AddressRange range = rule.addresses().getFirst();
        String address = written.group(1);
        AddressRange literal =
                address.indexOf(':') < 0 ? Literals.dottedQuad(address) : Literals.ipv6(address);
        if (literal != null && (literal.high() != range.high() || literal.low() != range.low())) {
            String detail =
                    "stands for every address of "
                            + range
                            + ": bits behind the prefix do not count";
            found.add(new Lint(rule, detail));
        }
    }
}
