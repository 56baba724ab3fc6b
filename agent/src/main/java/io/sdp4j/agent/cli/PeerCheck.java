package io.sdp4j.agent.cli;

import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Explanation;
import io.sdp4j.policy.PolicySource;
import io.sdp4j.policy.Role;
import io.sdp4j.policy.Verdict;
import io.sdp4j.resolve.FabricPath;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The paths that would carry a connection to a peer, as far as this host knows: the rule, if a port
 * is given, then each way. Makes no connection.
 *
 * @param name the peer as it was typed
 * @param port 0 = none was given
 */
record PeerCheck(String name, InetAddress address, int port) {
    /**
     * Looks at {@code HOST}, {@code HOST:PORT} or {@code [ADDRESS]:PORT}.
     *
     * @param rules file with rules; empty: the one an agent would find
     */
    static List<Check> of(String peer, String rules) {
        PeerCheck check = parse(peer);
        return check == null
                ? List.of(
                        Check.warn(
                                "peer " + peer,
                                "this is no host that is known",
                                "give HOST, HOST:PORT or [ADDRESS]:PORT"))
                : check.all(rules, Paths.to(check.address, List.of()));
    }

    /** Null if there is no such host or port. */
    static PeerCheck parse(String peer) {
        try {
            InetSocketAddress read = address(peer, false);
            return new PeerCheck(peer, read.getAddress(), read.getPort());
        } catch (UnknownHostException | IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * Reads {@code HOST:PORT}, {@code [ADDRESS]:PORT}, or what Java's logs say: {@code
     * name/127.0.0.1:80}, {@code /127.0.0.1:80}.
     *
     * @param needsPort whether there must be a port; else 0 stands for none
     * @throws IllegalArgumentException if it is none of these
     */
    static InetSocketAddress address(String text, boolean needsPort) throws UnknownHostException {
        String bare = text.substring(text.indexOf('/') + 1);
        int colon = bare.lastIndexOf(':');
        boolean lacksPort =
                colon < 0 || (bare.indexOf(':') < colon && bare.charAt(colon - 1) != ']');
        boolean whole = lacksPort && !needsPort;
        String host = whole ? bare : bare.substring(0, Math.max(colon, 0));
        boolean slash = bare.length() < text.length();
        boolean mask = slash && host.indexOf('.') < 0 && host.indexOf(':') < 0;
        if (host.isEmpty() || mask) { // the JDK takes nothing for the loopback, 24 for 0.0.0.24
            throw new IllegalArgumentException(text);
        }
        int port = whole ? 0 : Integer.parseInt(bare.substring(colon + 1));
        return new InetSocketAddress(InetAddress.getByName(host), port);
    }

    List<Check> all(String rules, List<FabricPath> paths) {
        String title = "peer " + name;
        List<Check> checks = new ArrayList<>();
        List<String> wanted = List.of();
        boolean only = false;
        if (port != 0) {
            Explanation explanation =
                    PolicySource.open(rules, "java", line -> {})
                            .get()
                            .explain(Role.CONNECT, "java", new InetSocketAddress(address, port));
            Decision decision = explanation.decision();
            checks.add(Check.ok(title, explanation.sentence()));
            if (!decision.verdict().offloads()) {
                checks.add(Check.ok(title, "used: kernel TCP, by the rule"));
                return checks;
            }
            wanted = decision.fabrics();
            only = decision.verdict() == Verdict.OFFLOAD_ONLY;
        }
        paths.forEach(p -> checks.add(Check.ok(title, Paths.sentence(p)).with(Paths.json(p))));
        List<FabricPath> usable = inOrder(paths, wanted);
        String used = "used: " + used(usable, only);
        checks.add(
                only && usable.isEmpty()
                        ? Check.fail(title, used, "let the rule say both, or name other fabrics")
                        : Check.ok(title, used));
        return checks;
    }

    /** Those that can be used, as the rule wants them. */
    private static List<FabricPath> inOrder(List<FabricPath> paths, List<String> wanted) {
        return paths.stream()
                .filter(p -> p.usable() && (wanted.isEmpty() || wanted.contains(p.fabric())))
                .sorted(Comparator.comparingInt(p -> wanted.indexOf(p.fabric())))
                .toList();
    }

    private static String used(List<FabricPath> usable, boolean only) {
        String otherwise = only ? "an error, as the rule allows nothing else" : "kernel TCP";
        if (usable.isEmpty()) {
            return otherwise + ", because nothing else leads there";
        }
        FabricPath first = usable.getFirst();
        String what =
                Paths.isRdma(first)
                        ? "RDMA"
                                + (first.device().isEmpty() ? "" : " by " + first.device())
                                + ", "
                                + Paths.ON_REQUEST
                                + " at both ends"
                        : "shared memory, if the program there has the agent too";
        return what + "; otherwise " + otherwise;
    }
}
