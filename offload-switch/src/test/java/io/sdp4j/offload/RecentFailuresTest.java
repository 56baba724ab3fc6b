package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RecentFailuresTest {
    private long now = Long.MAX_VALUE - 5; // the clock may wrap
    private final RecentFailures fresh = new RecentFailures(10, 3, () -> now);

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Test
    void forgetsAfterItsTime() {
        fresh.notMoved(at(1), false);
        now += 9;
        assertTrue(fresh.contains(at(1)));
        assertFalse(fresh.contains(at(2)));
        now += 1;
        assertFalse(fresh.contains(at(1)));
    }

    @Test
    void forgetsTheOldestWhenFull() {
        for (int port = 1; port <= 3; port++) {
            fresh.notMoved(at(port), false);
        }
        fresh.notMoved(at(1), false); // now the youngest
        fresh.notMoved(at(4), false);
        assertFalse(fresh.contains(at(2)));
        assertTrue(fresh.contains(at(1)) && fresh.contains(at(3)) && fresh.contains(at(4)));
    }

    @Test
    void forgetsADestinationThatAnswered() {
        fresh.notMoved(at(1), false);
        fresh.forget(at(1));
        assertFalse(fresh.contains(at(1)));
    }

    @Test
    void remembersNothingWithoutTime() {
        RecentFailures off = new RecentFailures(0, 3, () -> now);
        off.notMoved(at(1), false);
        assertFalse(off.contains(at(1)));
    }

    @Test
    void aRefusalCountsOnceTheKernelHasConnected() {
        fresh.refused(at(1));
        fresh.refused(at(1));
        assertFalse(fresh.contains(at(1)), "the server may be starting");
        fresh.kernelConnected(at(1));
        fresh.kernelConnected(at(2));
        assertTrue(fresh.contains(at(1)));
        assertFalse(fresh.contains(at(2)), "nothing was asked there");
    }

    @Test
    void silenceCountsWhenItIsMetAgain() {
        fresh.silent(at(1));
        assertFalse(fresh.contains(at(1)), "it may be slow");
        fresh.kernelConnected(at(1));
        assertFalse(fresh.contains(at(1)), "and listen on TCP all the same");
        fresh.silent(at(1));
        assertTrue(fresh.contains(at(1)));
        fresh.silent(at(2));
        now += 10;
        fresh.silent(at(2));
        assertFalse(fresh.contains(at(2)), "the first time is too long ago");
    }

    @Test
    void noListenerCountsWhenItIsMetSomeTimeLater() {
        long second = 1_000_000_000;
        RecentFailures failures = new RecentFailures(30 * second, 3, () -> now);
        failures.notMoved(at(1), true);
        now += 3 * second;
        failures.notMoved(at(1), true);
        assertFalse(failures.contains(at(1)), "it may be about to listen");
        now += 3 * second;
        failures.notMoved(at(1), true);
        assertTrue(failures.contains(at(1)));
        failures.notMoved(at(2), true);
        failures.forget(at(2));
        now += 7 * second;
        failures.notMoved(at(2), true);
        assertFalse(failures.contains(at(2)), "it has listened meanwhile");
    }

    /** Goal: never more than its capacity, never older than its time. Method: against a map. */
    @Property(tries = 300)
    void agreesWithAModel(
            @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 23) Integer> moves) {
        RecentFailures failures = new RecentFailures(10, 3, () -> now);
        Map<Integer, Long> until = new HashMap<>();
        for (int move : moves) {
            int port = move % 6;
            switch (move / 6) {
                case 0 -> {
                    failures.notMoved(at(port), false);
                    until.put(port, now + 10);
                }
                case 1 -> {
                    failures.forget(at(port));
                    until.remove(port);
                }
                case 2 -> now += port;
                default -> {
                    boolean young = until.containsKey(port) && until.get(port) - now > 0;
                    assertTrue(young || !failures.contains(at(port)), "older than its time");
                }
            }
        }
        long kept = IntStream.range(0, 6).filter(port -> failures.contains(at(port))).count();
        assertTrue(kept <= 3, "more than its capacity");
    }
}
