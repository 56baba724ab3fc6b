package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class MissCacheTest {
    private long now = Long.MAX_VALUE - 5; // the clock may wrap
    private final MissCache fresh = new MissCache(10, 3, () -> now);

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Test
    void forgetsAfterItsTime() {
        fresh.remember(at(1));
        now += 9;
        assertTrue(fresh.contains(at(1)));
        assertFalse(fresh.contains(at(2)));
        now += 1;
        assertFalse(fresh.contains(at(1)));
        assertEquals(0, fresh.size());
    }

    @Test
    void forgetsTheOldestWhenFull() {
        for (int port = 1; port <= 3; port++) {
            fresh.remember(at(port));
        }
        fresh.remember(at(1)); // now the youngest
        fresh.remember(at(4));
        assertFalse(fresh.contains(at(2)));
        assertTrue(fresh.contains(at(1)) && fresh.contains(at(3)) && fresh.contains(at(4)));
    }

    @Test
    void forgetsWhoAnswered() {
        fresh.remember(at(1));
        fresh.forget(at(1));
        assertFalse(fresh.contains(at(1)));
    }

    @Test
    void remembersNothingWithoutTime() {
        MissCache off = new MissCache(0, 3, () -> now);
        off.remember(at(1));
        assertFalse(off.contains(at(1)));
    }

    /** Goal: never more than its capacity, never older than its time. Method: against a map. */
    @Property(tries = 300)
    void agreesWithAModel(
            @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 23) Integer> moves) {
        MissCache cache = new MissCache(10, 3, () -> now);
        Map<Integer, Long> until = new HashMap<>();
        for (int move : moves) {
            int port = move % 6;
            switch (move / 6) {
                case 0 -> {
                    cache.remember(at(port));
                    until.put(port, now + 10);
                }
                case 1 -> {
                    cache.forget(at(port));
                    until.remove(port);
                }
                case 2 -> now += port;
                default -> {
                    boolean young = until.containsKey(port) && until.get(port) - now > 0;
                    assertTrue(young || !cache.contains(at(port)), "older than its time");
                }
            }
            assertTrue(cache.size() <= 3);
        }
    }
}
