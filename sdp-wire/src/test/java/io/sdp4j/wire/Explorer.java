package io.sdp4j.wire;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * All numbers in turn: runs a scenario once for every sequence of choices that leads to a state not
 * met before.
 *
 * <p>Method: depth first. A run replays the choices that lead to the point where it is to differ,
 * takes the next number there and zeros from then on; it ends where it meets a state that an
 * earlier run has met. States are told apart by 64-bit fingerprints.
 */
final class Explorer implements Choices {
    private int[] path = new int[256];
    private int[] widths = new int[256];
    private int length;
    private int at;
    private long[] states = new long[1 << 16]; // open addressing; 0 is empty
    private int stateCount;
    private long runs;

    /** Runs the scenario over and over until every choice has been taken. */
    static Explorer explore(Consumer<Choices> scenario) {
        Explorer explorer = new Explorer();
        do {
            explorer.at = 0;
            explorer.runs++;
            try {
                scenario.accept(explorer);
            } catch (Throwable e) {
                throw new AssertionError(
                        "after the choices "
                                + Arrays.toString(Arrays.copyOf(explorer.path, explorer.at)),
                        e);
            }
        } while (explorer.next());
        return explorer;
    }

    @Override
    public int below(int n) {
        if (n == 1) {
            return 0;
        }
        if (at == length) {
            if (length == path.length) {
                path = Arrays.copyOf(path, 2 * length);
                widths = Arrays.copyOf(widths, 2 * length);
            }
            path[length] = 0;
            widths[length] = n;
            length++;
        }
        if (widths[at] != n) {
            throw new IllegalStateException("the scenario chooses by itself");
        }
        return path[at++];
    }

    /** While choices are replayed, no state is new and none is to be cut off. */
    @Override
    public boolean seen(LongSupplier fingerprint) {
        return at == length && !add(fingerprint.getAsLong());
    }

    /** Different states met. */
    int states() {
        return stateCount;
    }

    /** Times the scenario was run. */
    long runs() {
        return runs;
    }

    private boolean next() {
        while (length > 0 && path[length - 1] + 1 == widths[length - 1]) {
            length--;
        }
        if (length == 0) {
            return false;
        }
        path[length - 1]++;
        return true;
    }

    private boolean add(long state) {
        long key = state == 0 ? 1 : state;
        if (2 * stateCount > states.length) {
            long[] old = states;
            states = new long[2 * old.length];
            for (long other : old) {
                if (other != 0) {
                    states[slot(other)] = other;
                }
            }
        }
        int slot = slot(key);
        if (states[slot] == key) {
            return false;
        }
        states[slot] = key;
        stateCount++;
        return true;
    }

    private int slot(long key) {
        int slot = (int) (key ^ (key >>> 32)) & (states.length - 1);
        while (states[slot] != 0 && states[slot] != key) {
            slot = (slot + 1) & (states.length - 1);
        }
        return slot;
    }
}
