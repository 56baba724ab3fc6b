package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the short way of payload does exactly what the general one does, or nothing. Method: two
 * machines get the same random events of a peer that also lies; one of them tries the short way
 * first. After each event their actions and their states are equal.
 */
class BufferedCopyTest {
    private static final WireConfig SHALLOW = new WireConfig(8, 1_000, 4, 16, 4, 4);

    private final ActionList out = new ActionList();
    private final Action header = new Action();
    private final MemorySegment none = MemorySegment.ofArray(new byte[20]);
    private int straight;
    private int refused;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void bothWaysEndInTheSameState(int kind) {
        WireConfig config = (kind & 1) == 0 ? Rig.CONFIG : SHALLOW;
        int start = (kind & 2) == 0 ? 0 : -20; // meets the wrap
        for (long seed = 0; seed < 400; seed++) {
            run(config, start, seed);
        }
        assertTrue(straight > 10_000, "the short way was taken " + straight + " times");
        assertTrue(refused > 1_000, "and refused " + refused + " times");
    }

    private void run(WireConfig config, int start, long seed) {
        Random random = new Random(seed);
        int bufs = 3 + random.nextInt(20);
        SdpMachine general = new Rig(config, bufs, start, start).machine;
        SdpMachine shortened = new Rig(config, bufs, start, start).machine;
        Deque<Integer> unread = new ArrayDeque<>();
        boolean lies = random.nextInt(4) == 0;
        int slot = 0;
        for (int step = 0; step < 300; step++) {
            String what = "seed " + seed + ", step " + step;
            switch (random.nextInt(lies ? 9 : 8)) {
                case 0, 1, 2 -> send(general, shortened, 1 + random.nextInt(900), what);
                case 3, 4 -> {
                    if (general.credits.known() > 0) {
                        receive(general, shortened, random, false, slot, what);
                        slot = delivered(unread, slot);
                    }
                }
                case 5, 6 -> {
                    if (!unread.isEmpty()) {
                        consume(general, shortened, unread.remove(), what);
                    }
                }
                case 7 -> complete(general, shortened, random, what);
                default -> {
                    if (general.credits.posted() > 0) {
                        receive(general, shortened, random, true, slot, what);
                        slot = delivered(unread, slot);
                    }
                }
            }
        }
    }

    private int delivered(Deque<Integer> unread, int slot) {
        int row = Rig.indexOf(out, ActionList.DELIVER);
        if (row >= 0) {
            unread.add(out.row(row).slot);
        }
        return slot + 1;
    }

    private void send(SdpMachine general, SdpMachine shortened, int bytes, String what) {
        out.clear();
        if (general.reserve()) {
            general.send(1, bytes, false, out);
        }
        String expected = ActionText.of(out);
        out.clear();
        if (shortened.bufferedCopy().send(bytes, 0, header)) {
            straight++;
            out.send(1, bytes, 0, header.first, header.second);
        } else {
            refused++;
            if (shortened.reserve()) {
                shortened.send(1, bytes, false, out);
            }
        }
        same(general, shortened, expected, what);
    }

    private void receive(
            SdpMachine general,
            SdpMachine shortened,
            Random random,
            boolean lie,
            int slot,
            String what) {
        int mid = random.nextInt(8) == 0 ? Mid.SEND_SM : Mid.DATA;
        int flags = random.nextInt(10) == 0 ? 1 << random.nextInt(3) : 0;
        int payload = mid == Mid.DATA ? random.nextInt(3) * random.nextInt(300) : 0;
        int len = Bsdh.BYTES + payload;
        int behind = random.nextInt(3);
        int mseq = general.credits.lastReceived + 1;
        int ack = general.credits.lastSent() - behind;
        if (ack - general.credits.lastAck < 0) {
            ack = general.credits.lastSent();
        }
        int byteLen = len;
        if (lie) {
            switch (random.nextInt(4)) {
                case 0 -> mseq += random.nextInt(3) - 1;
                case 1 -> ack += random.nextInt(9) - 4;
                case 2 -> byteLen += random.nextInt(40) - 20;
                default -> flags = random.nextInt(256);
            }
        }
        int bufs = random.nextInt(24);
        long first = Bsdh.first(mid, flags, bufs, len);
        long second = Bsdh.second(mseq, ack);
        out.clear();
        general.onReceived(slot, first, second, none, byteLen, out);
        String expected = ActionText.of(out);
        out.clear();
        int n = shortened.bufferedCopy().receive(first, second, byteLen);
        if (n > 0) {
            straight++;
            out.deliver(slot, Bsdh.BYTES, n, 0);
        } else {
            refused++;
            shortened.onReceived(slot, first, second, none, byteLen, out);
        }
        same(general, shortened, expected, what);
    }

    private void consume(SdpMachine general, SdpMachine shortened, int slot, String what) {
        out.clear();
        general.consumed(slot, out);
        String expected = ActionText.of(out);
        out.clear();
        if (shortened.bufferedCopy().consumed()) {
            straight++;
            out.repost(slot);
        } else {
            refused++;
            shortened.consumed(slot, out);
        }
        same(general, shortened, expected, what);
    }

    private void complete(SdpMachine general, SdpMachine shortened, Random random, String what) {
        int most = general.emitter.inFlight;
        if (most > 0) {
            int count = 1 + random.nextInt(most);
            out.clear();
            general.onSendsCompleted(count, out);
            String expected = ActionText.of(out);
            out.clear();
            shortened.onSendsCompleted(count, out);
            same(general, shortened, expected, what);
        }
    }

    private void same(SdpMachine general, SdpMachine shortened, String expected, String what) {
        assertEquals(expected, ActionText.of(out), what);
        assertEquals(
                new Fingerprint().machine(general).number(),
                new Fingerprint().machine(shortened).number(),
                what);
        assertEquals(general.messagesSent(), shortened.messagesSent(), what);
        assertEquals(general.bytesSent(), shortened.bytesSent(), what);
        assertEquals(general.messagesReceived(), shortened.messagesReceived(), what);
        assertEquals(general.bytesReceived(), shortened.bytesReceived(), what);
    }

    @Test
    @DisplayName("Questions and answers take the short way only")
    void roundTripsTakeIt() {
        Rig rig = new Rig();
        BufferedCopy copy = rig.machine.bufferedCopy();
        rig.feed(Mid.SEND_SM, 64, 0); // any event sets what the short way looks at
        rig.out.clear();
        int mseq = rig.machine.credits.lastReceived;
        for (int i = 0; i < 1000; i++) {
            assertTrue(copy.send(64, 3, header));
            long first = Bsdh.first(Mid.DATA, 0, 64, Bsdh.BYTES + 64);
            long second = Bsdh.second(++mseq, Bsdh.mseq(header.second));
            assertEquals(64, copy.receive(first, second, Bsdh.BYTES + 64));
            assertTrue(copy.consumed());
        }
        assertTrue(copy.steady());
        assertFalse(copy.send(64, 65, header), "the caller wants more credits than there are");
    }
}
