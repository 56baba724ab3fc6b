package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.agent.JsonReader;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: the doctor warns of connections that might have been offloaded, and of no others. */
class ProcessChecksTest {
    private static Check.Verdict verdict(long policy, long fallback, String reasons) {
        String report =
                """
                {"connections":{"offloaded":{},"kernel":{"policy":%d,"fallback":%d},"refused":0},
                 "accepted":{"offloaded":{},"kernel":0},"reasons":{%s}}
                """
                        .formatted(policy, fallback, reasons);
        return ProcessChecks.connections((Map<?, ?>) JsonReader.parse(report)).verdict();
    }

    @Test
    void connectionsToOtherHostsAreNoFault() {
        assertEquals(Check.Verdict.OK, verdict(2, 3, "\"YOUNG\":1,\"RULE_TCP\":1,\"NOT_LOCAL\":3"));
    }

    @Test
    void aPeerWithoutOffloadIsWorthALook() {
        assertEquals(Check.Verdict.WARN, verdict(0, 4, "\"NOT_LOCAL\":3,\"NO_PEER\":1"));
        assertEquals(Check.Verdict.WARN, verdict(0, 1, "\"NO_PEER\":1"));
    }

    @Test
    void aListenerThatCannotOffloadIsWorthALook() {
        assertEquals(Check.Verdict.WARN, accepted("UNAVAILABLE"));
        assertEquals(Check.Verdict.OK, accepted("ACCEPTED_TCP"));
    }

    private static Check.Verdict accepted(String reason) {
        String report =
                """
                {"connections":{"offloaded":{},"kernel":{"policy":0,"fallback":0},"refused":0},
                 "accepted":{"offloaded":{},"kernel":500},"reasons":{"%s":500}}
                """
                        .formatted(reason);
        return ProcessChecks.connections((Map<?, ?>) JsonReader.parse(report)).verdict();
    }

    @Test
    void aRuleFileThatWasRefusedIsAFault() {
        assertEquals(Check.Verdict.FAIL, verdict(0, 2, "\"NO_RULES\":2"));
    }

    @Test
    void anAgentThatIsOffIsAFault() {
        String report =
                """
                {"connections":{"offloaded":{},"kernel":{"policy":0,"fallback":0},"refused":0},
                 "accepted":{"offloaded":{},"kernel":0},"reasons":{},"off":"no java.net.X"}
                """;
        Check agent = ProcessChecks.ofReport(report).getFirst();
        assertEquals(Check.Verdict.FAIL, agent.verdict());
        assertEquals("in this process, and off: no java.net.X", agent.found());
        assertEquals(Check.Verdict.FAIL, ProcessChecks.ofReport("").getFirst().verdict());
    }

    @Test
    void aProgramWithoutConnectionsHasNone() {
        assertEquals(Check.Verdict.OK, verdict(0, 0, ""));
    }
}
