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
    void onlyANumberMovesWhatSelectorsWatch() {
        assertFalse(UpgradePolicy.AUTO.selected());
        assertTrue(UpgradePolicy.of("4096").selected());
    }

    @Test
    void eitherBytesOrAnswersWillDo() {
        UpgradePolicy auto = UpgradePolicy.AUTO;
        assertFalse(auto.carriedEnough(auto.bytes() - 1, auto.turns() - 1));
        assertTrue(auto.carriedEnough(auto.bytes(), 0));
        assertTrue(auto.carriedEnough(0, auto.turns()));
    }
}
