package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The operator is told once of a cause that can be removed, and of nothing else. */
class LossesTest {
    private final List<String> log = new ArrayList<>();
    private final Losses losses = new Losses(log::add);

    @Test
    void eachReasonThatCanBeMendedIsToldOnce() {
        for (int round = 0; round < 3; round++) {
            for (ReasonCode reason : ReasonCode.values()) {
                losses.add("host:" + round, reason, "detail of " + reason);
            }
        }
        assertEquals(5, log.size(), log::toString);
        for (String name : List.of("UNAVAILABLE", "UID", "MEMORY", "BUFFERS", "INTERNAL")) {
            assertTrue(
                    log.stream()
                            .anyMatch(
                                    line ->
                                            line.startsWith(
                                                            "host:0 is not offloaded: detail of "
                                                                    + name
                                                                    + "; ")
                                                    && line.contains("reason " + name)),
                    log::toString);
        }
    }

    @Test
    void whatIsKnownIsNotToldAgain() {
        losses.known(ReasonCode.UNAVAILABLE);
        losses.add("host", ReasonCode.UNAVAILABLE, "denied");
        losses.known("no card");
        losses.add("host", ReasonCode.MEMORY, "no card");
        assertEquals(List.of(), log);
        losses.add("host", ReasonCode.MEMORY, "no descriptor");
        assertEquals(1, log.size(), log::toString);
    }

    @Test
    void aKindOfFaultIsNewOnce() {
        assertTrue(losses.first("shm: class E"));
        assertFalse(losses.first("shm: class E"));
        assertTrue(losses.first("shm: class F"));
    }

    @Test
    void aPluginMayGiveNoText() {
        ProviderFailure failure = new ProviderFailure();
        failure.add(new OffloadUnavailable(ReasonCode.MEMORY, null));
        losses.add("host", failure.reason(), failure.detail());
        assertTrue(log.getFirst().contains(ReasonCode.MEMORY.sentence()), log::toString);
    }
}
