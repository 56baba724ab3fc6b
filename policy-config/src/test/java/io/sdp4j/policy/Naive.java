package io.sdp4j.policy;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The rules' meaning, written down a second time and as simply as possible: a list walked from the
 * top, addresses as whole numbers, patterns as regular expressions. Shares nothing with the code
 * under test but the enums.
 */
final class Naive {
    private Naive() {}

    /** A rule, as a test made it up. {@code address} is null for any; prefix counts its bits. */
    record Line(
            Verdict verdict,
            Role role,
            String program,
            InetAddress address,
            int prefix,
            int low,
            int high) {
        /** The rule in the libsdp dialect. */
        String text() {
            String target = "*";
            if (address != null) {
                String literal = address.getHostAddress();
                target = (literal.indexOf(':') >= 0 ? "[" + literal + "]" : literal) + "/" + prefix;
            }
            String ports =
                    low == 0 && high == 65535 ? "*" : low == high ? "" + low : low + "-" + high;
            return "use "
                    + verdict.word()
                    + " "
                    + role.word()
                    + " "
                    + program
                    + " "
                    + target
                    + ":"
                    + ports;
        }

        boolean matches(Role wanted, String name, byte[] asked, int port) {
            byte[] canonical = canonical(asked);
            return role == wanted
                    && port >= low
                    && port <= high
                    && (address == null || sameStart(canonical) || bothWildcard(canonical))
                    && Pattern.matches(program.replace("*", ".*").replace('?', '.'), name);
        }

        private boolean sameStart(byte[] asked) {
            byte[] start = address.getAddress();
            if (asked.length != start.length) {
                return false;
            }
            int shift = start.length * 8 - prefix;
            return new BigInteger(1, asked)
                    .shiftRight(shift)
                    .equals(new BigInteger(1, start).shiftRight(shift));
        }

        private boolean bothWildcard(byte[] asked) {
            return role == Role.LISTEN
                    && new BigInteger(1, asked).signum() == 0
                    && (sameStart(new byte[4]) || sameStart(new byte[16]));
        }
    }

    static byte[] canonical(byte[] address) {
        if (address.length == 16
                && new BigInteger(1, address).shiftRight(32).equals(BigInteger.valueOf(0xffff))) {
            return java.util.Arrays.copyOfRange(address, 12, 16);
        }
        return address;
    }

    static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Index of the first matching line, or -1. */
    static int firstMatch(List<Line> lines, Role role, String name, byte[] asked, int port) {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).matches(role, name, asked, port)) {
                return i;
            }
        }
        return -1;
    }

    /** The answer of the policy in the same form. */
    static int firstMatch(Policy policy, Role role, byte[] asked, int port) {
        long high = 0;
        long low = 0;
        for (byte b : asked) {
            high = (high << 8) | (low >>> 56);
            low = (low << 8) | (b & 0xff);
        }
        String origin = policy.decide(role, asked.length == 16, high, low, port).origin();
        return origin.equals("default") ? -1 : Integer.parseInt(origin.substring(2)) - 1;
    }
}
