package io.sdp4j.fabric.verbs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.fabric.contract.FabricEnds.QpPair;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Goal: a failure that is told from outside does not overtake what has arrived. */
@EnabledIf(value = "io.sdp4j.fabric.verbs.Lab#present", disabledReason = Lab.ABSENT)
@Timeout(120)
class VerbsFailureTest {
    private static final int MESSAGES = 3;

    private LabPairs pairs;
    private QpPair pair;

    @BeforeEach
    void open() throws Exception {
        pairs = new LabPairs(new QpSpec(4, 1024, 4));
        pair = pairs.connectSoon();
    }

    @AfterEach
    void close() throws Exception {
        pair.close();
        pairs.close();
    }

    private static void say(QueuePair from, int word) {
        int slot = from.takeSendSlot();
        from.sendMemory().set(ValueLayout.JAVA_BYTE, from.sendOffset(slot), (byte) word);
        from.postSend(slot, 1, 0);
    }

    /** The probe comes to its end behind the messages: all of them are there then. */
    @Test
    void whatHasArrivedIsSeenBeforeTheFailure() {
        QueuePair to = pair.a();
        for (int i = 0; i < MESSAGES; i++) {
            say(pair.b(), i);
        }
        pair.b().postProbe(1);
        assertEquals(1, LabPairs.next(pair.b()).wrId);
        await().until(to.completions()::ready);
        ((VerbsQueuePair) to).failFromOutside(WcStatus.FATAL_ERR);
        for (int i = 0; i < MESSAGES; i++) {
            Completion c = LabPairs.next(to);
            assertEquals(Completion.RECEIVE, c.opcode);
            assertEquals(
                    i, to.receiveMemory().get(ValueLayout.JAVA_BYTE, to.receiveOffset(c.slot)));
        }
        Completion end = LabPairs.next(to);
        assertEquals(Completion.ERROR, end.opcode);
        assertEquals(WcStatus.FATAL_ERR, end.status);
    }
}
