package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The contract with a rule that keeps everything on the kernel. */
class NoRuleMatchesTest extends SwitchedTest {
    NoRuleMatchesTest() {
        super(
                Policy.everything(Decision.of(Verdict.KERNEL, "use tcp", "test:1")),
                List.of(new LoopbackProvider()));
    }

    @Override
    public boolean offloads() {
        return false;
    }

    @Test
    void saysWhy() throws IOException {
        try (var p = pair()) {
            assertEquals(
                    ReasonCode.RULE_TCP,
                    SwitchedSockets.explain(p.client()).orElseThrow().reason());
            assertEquals(
                    "rule: use tcp (test:1)",
                    SwitchedSockets.explain(p.server()).orElseThrow().detail());
            assertEquals(Map.of(ReasonCode.RULE_TCP, 2L), owner.report().reasons());
            assertEquals(1, owner.report().kernelPolicy());
            assertEquals(1, owner.report().acceptedKernel());
        }
    }
}
