package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.UpgradePolicy.Waits;
import org.junit.jupiter.api.Test;

class UpgradePolicyTest {
    @Test
    void readsTheSetting() {
        assertEquals(UpgradePolicy.AT_CONNECT, UpgradePolicy.of("connect"));
        assertEquals(UpgradePolicy.AUTO, UpgradePolicy.of("Auto", 2));
        assertEquals(UpgradePolicy.NEVER, UpgradePolicy.of("auto", 1));
        assertEquals(UpgradePolicy.AT_CONNECT, UpgradePolicy.of("connect", 1));
        assertEquals(4096, UpgradePolicy.of("4096").bytes());
        for (String wrong : new String[] {"", "-1", "never", "4k"}) {
            assertThrows(IllegalArgumentException.class, () -> UpgradePolicy.of(wrong));
        }
    }

    @Test
    void aChannelThatDoesNotBlockMovesIfItCarriesMuchWithEachCall() {
        UpgradePolicy auto = UpgradePolicy.AUTO;
        assertFalse(auto.carriedEnough(Waits.SELECTOR, auto.bulkBytes() - 1, Long.MAX_VALUE, 1));
        assertTrue(auto.carriedEnough(Waits.SELECTOR, auto.bulkBytes(), 0, 1));
        assertEquals(auto.bulkAgeNanos(), auto.ageNanos(Waits.SELECTOR));
        assertFalse(auto.carriesLittle(UpgradePolicy.FIRST_CALLS - 1, 0), "it is not known yet");
        assertTrue(auto.carriesLittle(256, 256 * UpgradePolicy.BULK_CALL_BYTES - 1));
        assertFalse(auto.carriesLittle(256, 256 * UpgradePolicy.BULK_CALL_BYTES));
    }

    @Test
    void aVirtualThreadsConnectionMovesIfItCarriesMuchWithEachCall() {
        UpgradePolicy auto = UpgradePolicy.AUTO;
        long calls = auto.bytes() / UpgradePolicy.BULK_CALL_BYTES;
        assertTrue(auto.carriedEnough(Waits.VIRTUAL_THREAD, auto.bytes(), 0, calls));
        assertFalse(auto.carriedEnough(Waits.VIRTUAL_THREAD, auto.bytes() - 1, 0, 1));
        assertFalse(
                auto.carriedEnough(Waits.VIRTUAL_THREAD, auto.bytes(), Long.MAX_VALUE, calls + 1));
        assertEquals(auto.ageNanos(), auto.ageNanos(Waits.VIRTUAL_THREAD));
    }

    @Test
    void aNumberMovesAnyChannel() {
        UpgradePolicy number = UpgradePolicy.of("4096");
        for (Waits waits : Waits.values()) {
            assertTrue(number.carriedEnough(waits, 4096, 0, Long.MAX_VALUE));
        }
        assertFalse(number.carriesLittle(Long.MAX_VALUE, 0));
    }

    @Test
    void inAThreadEitherBytesOrAnswersWillDo() {
        UpgradePolicy auto = UpgradePolicy.AUTO;
        assertFalse(auto.carriedEnough(Waits.THREAD, auto.bytes() - 1, auto.turns() - 1, 1));
        assertTrue(auto.carriedEnough(Waits.THREAD, auto.bytes(), 0, Long.MAX_VALUE));
        assertTrue(auto.carriedEnough(Waits.THREAD, 0, auto.turns(), Long.MAX_VALUE));
    }
}
