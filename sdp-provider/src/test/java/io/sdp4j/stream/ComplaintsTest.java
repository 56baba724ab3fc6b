package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** One line for each peer and minute, and no more. */
final class ComplaintsTest {
    private final List<String> lines = new ArrayList<>();
    private final AtomicLong now = new AtomicLong(-5);
    private final Complaints complaints = new Complaints(lines::add, now::get);

    private static InetAddress peer(int n) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 0, (byte) (n >> 8), (byte) n});
    }

    @Test
    void aPeerFillsNoLog() throws Exception {
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
    void itRemembersAFewPeersOnly() throws Exception {
        for (int i = 0; i < 1000; i++) {
            complaints.add(peer(i), "nonsense");
        }
        assertEquals(1000, lines.size());
        complaints.add(peer(999), "nonsense");
        assertEquals(1000, lines.size());
    }
}
