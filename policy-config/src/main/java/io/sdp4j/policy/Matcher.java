package io.sdp4j.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The rules of one role and one program, compiled for look-up: first match wins.
 *
 * <p>Shape: rules stand in blocks of {@value #BLOCK_RULES}, in file order. A block cuts each of the
 * three dimensions (port, IPv4 address, IPv6 address) at every place where some rule begins or
 * ends, and keeps for each piece a row of bits, one per rule of the block: set when the rule holds
 * throughout the piece. A look-up finds the piece of the port and the piece of the address by
 * binary search, and the lowest bit set in both rows is the first rule that matches.
 *
 * <p>The cost grows with the logarithm of the number of rules inside a block and with the number of
 * blocks; memory is below 1 MiB per block, so a long file costs time in proportion and no more. All
 * state is final: any number of threads may look up.
 */
final class Matcher {
    static final int BLOCK_RULES = 1024;

    private final Block[] blocks;
    private final Decision otherwise;

    Matcher(List<Rule> rules, Decision otherwise) {
        this.otherwise = otherwise;
        List<Block> made = new ArrayList<>();
        List<Rule> able = rules.stream().filter(Rule::satisfiable).toList();
        for (int i = 0; i < able.size(); i += BLOCK_RULES) {
            made.add(new Block(able.subList(i, Math.min(i + BLOCK_RULES, able.size()))));
        }
        blocks = made.toArray(Block[]::new);
    }

    /**
     * Allocates nothing. The address must be canonical: no IPv4-mapped IPv6, {@code high} 0 for
     * IPv4.
     */
    Decision decide(boolean ipv6, long high, long low, int port) {
        for (Block block : blocks) {
            int rule = block.firstMatch(ipv6, high, low, port);
            if (rule >= 0) {
                return block.decisions[rule];
            }
        }
        return otherwise;
    }

    /**
     * At most {@link #BLOCK_RULES} rules. Addresses are kept with their sign flipped, so that
     * signed compares order them.
     */
    private static final class Block {
        final Decision[] decisions;
        final int words;
        final int[] portStarts;
        final long[] portRows;
        final long[] v4Starts;
        final long[] v4Rows;
        final long[] v6HighStarts;
        final long[] v6LowStarts;
        final long[] v6Rows;

        Block(List<Rule> rules) {
            decisions = rules.stream().map(Rule::decision).toArray(Decision[]::new);
            words = (rules.size() + 63) >>> 6;
            portStarts = portCuts(rules);
            portRows = new long[portStarts.length * words];
            NavigableSet<Address> v4 = addressCuts(rules, false);
            v4Starts = v4.stream().mapToLong(Address::low).toArray();
            v4Rows = new long[v4Starts.length * words];
            NavigableSet<Address> v6 = addressCuts(rules, true);
            v6HighStarts = v6.stream().mapToLong(a -> a.high() ^ Long.MIN_VALUE).toArray();
            v6LowStarts = v6.stream().mapToLong(a -> a.low() ^ Long.MIN_VALUE).toArray();
            v6Rows = new long[v6HighStarts.length * words];
            for (int r = 0; r < rules.size(); r++) {
                fill(rules.get(r), r);
            }
        }

        private static int[] portCuts(List<Rule> rules) {
            NavigableSet<Integer> cuts = new TreeSet<>(List.of(0));
            for (Rule rule : rules) {
                cuts.add(Math.max(rule.portLow(), 0));
                if (rule.portHigh() < Rule.MAX_PORT) {
                    cuts.add(rule.portHigh() + 1);
                }
            }
            return cuts.stream().mapToInt(Integer::intValue).toArray();
        }

        private static NavigableSet<Address> addressCuts(List<Rule> rules, boolean ipv6) {
            NavigableSet<Address> cuts = new TreeSet<>(List.of(new Address(0, 0)));
            for (Rule rule : rules) {
                for (AddressRange range : ranges(rule)) {
                    if (range.ipv6() == ipv6) {
                        cuts.add(new Address(range.high(), range.low()));
                        long low = range.lastLow() + 1;
                        long high = ipv6 && low == 0 ? range.lastHigh() + 1 : range.lastHigh();
                        if (ipv6 ? (high | low) != 0 : low >>> 32 == 0) { // else it ends at the end
                            cuts.add(new Address(high, low));
                        }
                    }
                }
            }
            return cuts;
        }

        /**
         * What a rule matches; a listener's wildcard address is the same place in both families.
         */
        private static List<AddressRange> ranges(Rule rule) {
            if (rule.anyAddress()) {
                return List.of();
            }
            List<AddressRange> all = new ArrayList<>(rule.addresses());
            if (rule.role() == Role.LISTEN && rule.matchesAddress(false, 0, 0)) {
                all.add(new AddressRange(false, 0, 0, 32));
                all.add(new AddressRange(true, 0, 0, 128));
            }
            return all;
        }

        private void fill(Rule rule, int bit) {
            int first = floor(portStarts, Math.max(rule.portLow(), 0));
            int last = floor(portStarts, Math.min(rule.portHigh(), Rule.MAX_PORT));
            set(portRows, first, last, bit);
            if (rule.anyAddress()) {
                set(v4Rows, 0, v4Starts.length - 1, bit);
                set(v6Rows, 0, v6HighStarts.length - 1, bit);
            }
            for (AddressRange range : ranges(rule)) {
                if (range.ipv6()) {
                    int from = floor6(range.high(), range.low());
                    set(v6Rows, from, floor6(range.lastHigh(), range.lastLow()), bit);
                } else {
                    set(
                            v4Rows,
                            floor(v4Starts, range.low()),
                            floor(v4Starts, range.lastLow()),
                            bit);
                }
            }
        }

        private void set(long[] rows, int firstRow, int lastRow, int bit) {
            for (int row = firstRow; row <= lastRow; row++) {
                rows[row * words + (bit >>> 6)] |= 1L << bit;
            }
        }

        int firstMatch(boolean ipv6, long high, long low, int port) {
            int portRow = floor(portStarts, port) * words;
            int row = (ipv6 ? floor6(high, low) : floor(v4Starts, low)) * words;
            long[] rows = ipv6 ? v6Rows : v4Rows;
            for (int w = 0; w < words; w++) {
                long both = portRows[portRow + w] & rows[row + w];
                if (both != 0) {
                    return (w << 6) + Long.numberOfTrailingZeros(both);
                }
            }
            return -1;
        }

        /**
         * Index of the last start that is not above {@code key}; the first start is the least key
         * there is.
         */
        private static int floor(int[] starts, int key) {
            int base = 0;
            for (int n = starts.length; n > 1; ) {
                int half = n >>> 1;
                base = starts[base + half] <= key ? base + half : base;
                n -= half;
            }
            return base;
        }

        private static int floor(long[] starts, long key) {
            int base = 0;
            for (int n = starts.length; n > 1; ) {
                int half = n >>> 1;
                base = starts[base + half] <= key ? base + half : base;
                n -= half;
            }
            return base;
        }

        private int floor6(long high, long low) {
            long h = high ^ Long.MIN_VALUE;
            long l = low ^ Long.MIN_VALUE;
            int base = 0;
            for (int n = v6HighStarts.length; n > 1; ) {
                int half = n >>> 1;
                long start = v6HighStarts[base + half];
                if (start < h || (start == h && v6LowStarts[base + half] <= l)) {
                    base += half;
                }
                n -= half;
            }
            return base;
        }

        @Override
        public String toString() {
            return Arrays.toString(decisions);
        }
    }

    /** 128 bits, ordered as an unsigned number. */
    private record Address(long high, long low) implements Comparable<Address> {
        @Override
        public int compareTo(Address other) {
            int byHigh = Long.compareUnsigned(high, other.high);
            return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
        }
    }
}
