package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.SwitchReport;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection whose stream neither end has begun to use is counted as one that stays. */
@Timeout(60)
class GivenUpMoveTest extends MovedByHand {
    @Test
    void countsAsOneOnTcp() throws Exception {
        SwitchReport before = owner.counters().report();
        begins = false;
        channel.write(ByteBuffer.allocate(1));
        await().until(() -> toRead != null);
        assertEquals(1, owner.counters().report().moved().connections());
        giveUp();
        SwitchReport after = owner.counters().report();
        assertEquals(new SwitchReport.Moved(0, 0, 0), after.moved());
        assertEquals(Map.of("one", 0L), after.offloaded());
        assertEquals(Map.of(ReasonCode.YOUNG, 1L), after.reasons());
        assertEquals(before.kernelPolicy(), after.kernelPolicy());
        channel.close();
        assertEquals(0, owner.counters().report().moved().connections());
    }
}
