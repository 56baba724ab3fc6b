package io.sdp4j.policy;

import java.util.ArrayList;
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
 * blocks; memory is below 1 MiB per block of rules with one address each. All state is final: any
 * number of threads may look up.
 */
final class Matcher {
    static final int BLOCK_RULES = 1024;

    /** Ports are paged by 256, so that few pieces are left to search. */
    private static final int PAGE_SHIFT = 8;

    private final Block[] blocks;
    private final Decision otherwise;

    Matcher(List<Rule> rules, Decision otherwise) {
        this.otherwise = otherwise;
        List<Block> made = new ArrayList<>();
        List<Rule> able = new ArrayList<>();
        for (Rule rule : rules) {
            if (rule.satisfiable()) {
                able.add(rule);
            }
        }
        for (int i = 0; i < able.size(); i += BLOCK_RULES) {
            made.add(new Block(able.subList(i, Math.min(i + BLOCK_RULES, able.size()))));
        }
        blocks = made.toArray(new Block[0]);
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
        final int[] portStarts;
        final int[] portPages;
        final Rows portRows;
        final long[] v4Starts;
        final Rows v4Rows;
        final long[] v6HighStarts;
        final long[] v6LowStarts;
        final Rows v6Rows;

        Block(List<Rule> rules) {
            decisions = new Decision[rules.size()];
            int words = (rules.size() + 63) >>> 6;
            portStarts = portCuts(rules);
            portPages = pages(portStarts);
            portRows = new Rows(portStarts.length, words);
            NavigableSet<Address> v4 = addressCuts(rules, false);
            v4Starts = new long[v4.size()];
            v4Rows = new Rows(v4Starts.length, words);
            NavigableSet<Address> v6 = addressCuts(rules, true);
            v6HighStarts = new long[v6.size()];
            v6LowStarts = new long[v6.size()];
            v6Rows = new Rows(v6HighStarts.length, words);
            int i = 0;
            for (Address start : v4) {
                v4Starts[i++] = start.low();
            }
            i = 0;
            for (Address start : v6) {
                v6HighStarts[i] = start.high() ^ Long.MIN_VALUE;
                v6LowStarts[i++] = start.low() ^ Long.MIN_VALUE;
            }
            for (int r = 0; r < rules.size(); r++) {
                decisions[r] = rules.get(r).decision();
                fill(rules.get(r), r);
            }
        }

        /**
         * For each page of ports the piece its first port is in, and one entry more for the end.
         */
        private static int[] pages(int[] starts) {
            int[] pages = new int[(Rule.MAX_PORT >>> PAGE_SHIFT) + 2];
            int piece = 0;
            for (int page = 0; page < pages.length; page++) {
                while (piece + 1 < starts.length && starts[piece + 1] <= page << PAGE_SHIFT) {
                    piece++;
                }
                pages[page] = piece;
            }
            return pages;
        }

        private static int[] portCuts(List<Rule> rules) {
            NavigableSet<Integer> cuts = new TreeSet<>(List.of(0));
            for (Rule rule : rules) {
                cuts.add(Math.max(rule.portLow(), 0));
                if (rule.portHigh() < Rule.MAX_PORT) {
                    cuts.add(rule.portHigh() + 1);
                }
            }
            int[] starts = new int[cuts.size()];
            int i = 0;
            for (int cut : cuts) {
                starts[i++] = cut;
            }
            return starts;
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
         * Addresses and ports that a rule matches; a listener's wildcard address is the same place
         * in both families.
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
            int first = portPiece(Math.max(rule.portLow(), 0));
            portRows.set(first, portPiece(Math.min(rule.portHigh(), Rule.MAX_PORT)), bit);
            if (rule.anyAddress()) {
                v4Rows.set(0, v4Starts.length - 1, bit);
                v6Rows.set(0, v6HighStarts.length - 1, bit);
            }
            for (AddressRange range : ranges(rule)) {
                if (range.ipv6()) {
                    int from = floor6(range.high(), range.low());
                    v6Rows.set(from, floor6(range.lastHigh(), range.lastLow()), bit);
                } else {
                    v4Rows.set(floor4(range.low()), floor4(range.lastLow()), bit);
                }
            }
        }

        int firstMatch(boolean ipv6, long high, long low, int port) {
            Rows rows = ipv6 ? v6Rows : v4Rows;
            int piece = ipv6 ? floor6(high, low) : floor4(low);
            return rows.used[piece] == 0 ? -1 : rows.firstCommon(piece, portRows, portPiece(port));
        }

        private int portPiece(int port) {
            int page = port >>> PAGE_SHIFT;
            return floor(portStarts, portPages[page], portPages[page + 1] + 1, port);
        }

        /**
         * Index of the last start from {@code from} to before {@code to} that is not above the key;
         * the one at {@code from} is not.
         */
        private static int floor(int[] starts, int from, int to, int key) {
            int base = from;
            for (int n = to - from; n > 1; ) {
                int half = n >>> 1;
                base = starts[base + half] <= key ? base + half : base;
                n -= half;
            }
            return base;
        }

        private int floor4(long key) {
            int base = 0;
            for (int n = v4Starts.length; n > 1; ) {
                int half = n >>> 1;
                base = v4Starts[base + half] <= key ? base + half : base;
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
    }

    /** A row of bits for each piece of one dimension. */
    private static final class Rows {
        final int words;
        final long[] bits;

        /** For each row, which of its words have a bit set: a block has no more than 64 words. */
        final long[] used;

        Rows(int rows, int words) {
            this.words = words;
            bits = new long[rows * words];
            used = new long[rows];
        }

        void set(int firstRow, int lastRow, int bit) {
            for (int row = firstRow; row <= lastRow; row++) {
                bits[row * words + (bit >>> 6)] |= 1L << bit;
                used[row] |= 1L << (bit >>> 6);
            }
        }

        /** The lowest bit set in {@code row} here and in {@code otherRow} there; -1: none. */
        int firstCommon(int row, Rows other, int otherRow) {
            int here = row * words;
            int there = otherRow * words;
            for (long left = used[row] & other.used[otherRow]; left != 0; left &= left - 1) {
                int w = Long.numberOfTrailingZeros(left);
                long both = bits[here + w] & other.bits[there + w];
                if (both != 0) {
                    return (w << 6) + Long.numberOfTrailingZeros(both);
                }
            }
            return -1;
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
