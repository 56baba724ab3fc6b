package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.UpgradePolicy.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class UpgradePolicyTest {
    private static final long SLOW = UpgradePolicy.QUICK_NANOS + 1;

    @Test
    void readsTheSetting() {
        assertEquals(UpgradePolicy.AT_CONNECT, UpgradePolicy.of("connect"));
        assertEquals(UpgradePolicy.AUTO, UpgradePolicy.of("Auto", 2));
        assertEquals(UpgradePolicy.AUTO_ALONE, UpgradePolicy.of("auto", 1));
        assertEquals(UpgradePolicy.AT_CONNECT, UpgradePolicy.of("connect", 1));
        assertEquals(4096, UpgradePolicy.of("4096").bytes());
        for (String wrong : new String[] {"", "-1", "never", "4k"}) {
            assertThrows(IllegalArgumentException.class, () -> UpgradePolicy.of(wrong));
        }
    }

    @Test
    void aChannelThatDoesNotBlockMovesIfItCarriesMuchWithEachCall() {
        UpgradePolicy auto = UpgradePolicy.AUTO;
        assertFalse(selectorMoves(auto.bulkBytes() - 1, SLOW));
        assertTrue(selectorMoves(auto.bulkBytes(), SLOW));
        assertEquals(auto.bulkAgeNanos(), auto.ageNanos(Waits.SELECTOR));
        assertFalse(carriesLittle(0, auto.bulkAgeNanos() / 2 - 1, SLOW), "it is not known yet");
        assertTrue(carriesLittle(UpgradePolicy.BULK_CALL_BYTES - 1, Long.MAX_VALUE, SLOW));
        assertFalse(carriesLittle(UpgradePolicy.BULK_CALL_BYTES, Long.MAX_VALUE, SLOW));
    }

    @Test
    void orIfAnswersComeQuickly() {
        assertTrue(selectorMoves(1, UpgradePolicy.QUICK_NANOS));
        assertFalse(carriesLittle(1, Long.MAX_VALUE, UpgradePolicy.QUICK_NANOS));
    }

    @Test
    void onOneProcessorAChannelThatDoesNotBlockStays() {
        UpgradePolicy alone = UpgradePolicy.AUTO_ALONE;
        assertTrue(alone.keepsSelectors());
        assertFalse(UpgradePolicy.AUTO.keepsSelectors());
        assertEquals(Long.MAX_VALUE, alone.ageNanos(Waits.SELECTOR));
    }

    /** Goal: operators are told these numbers, which the code alone has otherwise. */
    @Test
    void theReadmeSaysWhen() throws IOException {
        UpgradePolicy auto = UpgradePolicy.AUTO;
        UpgradePolicy alone = UpgradePolicy.AUTO_ALONE;
        assertEquals(500_000_000, auto.ageNanos(), "half a second");
        assertEquals(60_000_000_000L, alone.ageNanos(), "a minute");
        assertEquals(10_000_000_000L, auto.bulkAgeNanos(), "ten seconds, of which half decide");
        String readme = Files.readString(Path.of("../README.md")).replaceAll("\\s+", " ");
        long quick = 1_000_000_000 / UpgradePolicy.QUICK_NANOS;
        for (String told :
                List.of(
                        blocking(auto, "MiB", 20),
                        blocking(alone, "GiB", 30),
                        bulk("after", auto.bytes(), "MiB", 20),
                        bulk("after", alone.bytes(), "GiB", 30),
                        bulk("with", auto.bulkBytes(), "GiB", 30),
                        String.format(Locale.ROOT, "while %,d answers come a second", quick))) {
            assertTrue(readme.contains(told), told);
        }
    }

    private static String blocking(UpgradePolicy policy, String unit, int shift) {
        return String.format(
                Locale.ROOT,
                "after %d %s or %,d answers (and %,d in the JVM)",
                policy.bytes() >> shift,
                unit,
                policy.turns(),
                policy.allTurns());
    }

    private static String bulk(String word, long bytes, String unit, int shift) {
        return "%s %d %s in calls of %d KiB or more"
                .formatted(word, bytes >> shift, unit, UpgradePolicy.BULK_CALL_BYTES >> 10);
    }

    private static boolean selectorMoves(long bytes, long turnNanos) {
        return UpgradePolicy.AUTO.carriedEnough(
                Waits.SELECTOR, bytes, Long.MAX_VALUE, Long.MAX_VALUE, 1, turnNanos);
    }

    private static boolean carriesLittle(long callBytes, long ageNanos, long turnNanos) {
        return UpgradePolicy.AUTO.carriesLittle(256, 256 * callBytes, ageNanos, turnNanos);
    }

    @Test
    void aVirtualThreadsConnectionMovesIfItCarriesMuchWithEachCall() {
        UpgradePolicy auto = UpgradePolicy.AUTO;
        long calls = auto.bytes() / UpgradePolicy.BULK_CALL_BYTES;
        assertTrue(auto.carriedEnough(Waits.VIRTUAL_THREAD, auto.bytes(), 0, 0, calls, 0));
        assertFalse(auto.carriedEnough(Waits.VIRTUAL_THREAD, auto.bytes() - 1, 0, 0, 1, 0));
        assertFalse(
                auto.carriedEnough(
                        Waits.VIRTUAL_THREAD,
                        auto.bytes(),
                        Long.MAX_VALUE,
                        Long.MAX_VALUE,
                        calls + 1,
                        0));
        assertEquals(auto.ageNanos(), auto.ageNanos(Waits.VIRTUAL_THREAD));
    }

    @Test
    void aNumberMovesAnyChannel() {
        UpgradePolicy number = UpgradePolicy.of("4096");
        for (Waits waits : Waits.values()) {
            assertTrue(number.carriedEnough(waits, 4096, 0, 0, Long.MAX_VALUE, SLOW));
        }
        assertFalse(number.carriesLittle(Long.MAX_VALUE, 0, Long.MAX_VALUE, SLOW));
    }

    @Test
    void inAThreadEitherBytesOrAnswersWillDo() {
        UpgradePolicy auto = UpgradePolicy.AUTO;
        assertFalse(threadMoves(auto.bytes() - 1, auto.turns() - 1, Long.MAX_VALUE));
        assertTrue(threadMoves(auto.bytes(), 0, 0));
        assertTrue(threadMoves(0, auto.turns(), auto.allTurns()));
        assertFalse(threadMoves(0, auto.turns(), auto.allTurns() - 1), "of all connections");
    }

    private static boolean threadMoves(long bytes, long turns, long allTurns) {
        return UpgradePolicy.AUTO.carriedEnough(Waits.THREAD, bytes, turns, allTurns, 1, 0);
    }
}
