package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** One line for each peer and minute, thirty for all of them, and no more. */
final class ViolationLogTest {
    private final List<String> lines = new ArrayList<>();
    private final AtomicLong now = new AtomicLong(-5);
    private final ViolationLog complaints = new ViolationLog(lines::add, now::get);

    private static String peer(int n) {
        return "10.0." + n / 256 + "." + n % 256;
    }

    @Test
    void aPeerFillsNoLog() {
        for (int i = 0; i < 1000; i++) {
            complaints.add(peer(1), "nonsense");
        }
        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().contains("10.0.0.1"), lines.getFirst());
        complaints.add(peer(2), "other nonsense");
        assertEquals(2, lines.size());
        now.addAndGet(TimeUnit.MINUTES.toNanos(1));
        complaints.add(peer(1), "nonsense");
        assertEquals(3, lines.size());
        assertTrue(lines.getLast().contains("999 more"), lines.getLast());
    }

    @Test
    void manyPeersFillNoLogEither() {
        for (int i = 0; i < 100_000; i++) {
            complaints.add(peer(i), "nonsense");
        }
        assertEquals(30, lines.size());
        now.addAndGet(TimeUnit.MINUTES.toNanos(1));
        complaints.add(peer(7), "nonsense");
        assertEquals(31, lines.size());
        assertTrue(lines.getLast().contains("99970 of others"), lines.getLast());
        complaints.add(peer(8), "nonsense");
        assertEquals("peer 10.0.0.8 nonsense", lines.getLast());
    }

    @Test
    void whatThisProcessLacksIsToldOnceWithWhatToDo() {
        for (int i = 0; i < 3; i++) {
            complaints.shortOf("memfd_create: EPERM");
            now.addAndGet(TimeUnit.MINUTES.toNanos(1));
        }
        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().contains("memfd_create: EPERM; raise"), lines.getFirst());
    }

    @Test
    void itRemembersAFewPeersOnly() {
        for (int minute = 0; minute < 1000; minute++) {
            now.addAndGet(TimeUnit.MINUTES.toNanos(1));
            for (int i = 0; i < 30; i++) {
                complaints.add(peer(minute * 30 + i), "nonsense");
            }
        }
        assertEquals(30_000, lines.size());
        assertTrue(complaints.peers.size() <= 256, "remembers " + complaints.peers.size());
    }
}
