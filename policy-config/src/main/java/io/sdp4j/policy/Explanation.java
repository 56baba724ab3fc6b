package io.sdp4j.policy;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * Why a socket gets the decision it gets.
 *
 * @param role the role asked about
 * @param program the program asked about
 * @param address the address asked about
 * @param decision the outcome
 * @param rule the rule that made it; null when none matched
 * @param near rules that would have matched but for one thing, in file order
 */
public record Explanation(
        Role role,
        String program,
        InetSocketAddress address,
        Decision decision,
        Rule rule,
        List<Near> near) {
    /**
     * A rule that nearly decided.
     *
     * @param rule the rule
     * @param reason what kept it from deciding, as a clause
     */
    public record Near(Rule rule, String reason) {
        /** One line: which rule, why not. */
        public String sentence() {
            return rule + " does not decide: " + reason + ".";
        }
    }

    /** Copies the list. */
    public Explanation {
        near = List.copyOf(near);
    }

    /** As people write it: Java puts a slash before an address without a name. */
    private String place() {
        String text = address.toString();
        return text.startsWith("/") ? text.substring(1) : text;
    }

    /** One sentence: the outcome, and the rule. */
    public String sentence() {
        String who = role.word() + " " + (role == Role.CONNECT ? "to " : "on ") + place();
        String what =
                switch (decision.verdict()) {
                    case DIRECT -> "uses kernel TCP and asks no provider";
                    case KERNEL -> "uses kernel TCP";
                    case OFFLOAD_ONLY -> "is offloaded or fails";
                    case OFFLOAD_FIRST ->
                            role == Role.CONNECT
                                    ? "may be offloaded, and uses kernel TCP otherwise"
                                    : "accepts from kernel TCP and from offload";
                };
        String why =
                rule == null
                        ? decision.rule()
                        : decision.origin() + " says '" + decision.rule() + "'";
        return "A " + who + " in program '" + program + "' " + what + ": " + why + ".";
    }
}
