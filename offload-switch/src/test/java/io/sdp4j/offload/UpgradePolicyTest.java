package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
        assertFalse(auto.carriedEnoughSelected(auto.bulkBytes() - 1, Long.MAX_VALUE));
        assertTrue(auto.carriedEnoughSelected(auto.bulkBytes(), 0));
        assertFalse(auto.carriesLittle(UpgradePolicy.FIRST_CALLS - 1, 0), "it is not known yet");
        assertTrue(auto.carriesLittle(256, 256 * UpgradePolicy.BULK_CALL_BYTES - 1));
        assertFalse(auto.carriesLittle(256, 256 * UpgradePolicy.BULK_CALL_BYTES));
    }

    @Test
    void aNumberMovesAnyChannel() {
        UpgradePolicy number = UpgradePolicy.of("4096");
        assertTrue(number.carriedEnoughSelected(4096, 0));
        assertFalse(number.carriesLittle(Long.MAX_VALUE, 0));
    }

    @Test
    void eitherBytesOrAnswersWillDo() {
        UpgradePolicy auto = UpgradePolicy.AUTO;
        assertFalse(auto.carriedEnough(auto.bytes() - 1, auto.turns() - 1));
        assertTrue(auto.carriedEnough(auto.bytes(), 0));
        assertTrue(auto.carriedEnough(0, auto.turns()));
    }
}
