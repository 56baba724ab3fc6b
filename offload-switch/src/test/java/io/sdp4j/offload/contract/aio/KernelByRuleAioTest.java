package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.aio.SwitchAsynchronousSocketChannel;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.HostLookup;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.RuleFile;
import io.sdp4j.policy.Verdict;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The contract where rules could offload something, but not what is connected to here. */
class KernelByRuleAioTest extends SwitchedAioTest {
    KernelByRuleAioTest() {
        super(rules(), List.of(new LoopbackProvider()));
    }

    private static Policy rules() {
        String text =
                """
                use both client * 192.0.2.1:1
                use both server * 192.0.2.1:1
                use tcp client * *:*
                use tcp server * *:*
                """;
        RuleFile file = RuleFile.parse("rules", text, HostLookup.SYSTEM);
        assertEquals(List.of(), file.errors());
        return file.policy("any");
    }

    @Override
    public boolean offloads() {
        return false;
    }

    @Test
    void saysWhyAndCounts() throws Exception {
        try (var p = pair()) {
            assertEquals(
                    ReasonCode.RULE_TCP,
                    SwitchAsynchronousSocketChannel.explain(p.client()).orElseThrow().reason());
            assertEquals(1, owner.report().kernelPolicy());
            assertEquals(1, owner.report().acceptedKernel());
            assertEquals(Map.of(ReasonCode.RULE_TCP, 2L), owner.report().reasons());
        }
    }

    @Test
    @DisplayName("98: where nothing could ever be offloaded, channels are the JDK's own")
    void withoutRulesChannelsAreTheJdks() throws Exception {
        Policy nothing = Policy.everything(Decision.of(Verdict.KERNEL, "use tcp", "test:1"));
        OffloadSwitch idle = new OffloadSwitch(() -> nothing, List.of(), SwitchSettings.defaults());
        AsynchronousChannelProvider provider = new SwitchAsynchronousChannelProvider(idle);
        Class<?> jdk = AsynchronousSocketChannel.open().getClass();
        try (AsynchronousSocketChannel plain = provider.openAsynchronousSocketChannel(null);
                AsynchronousSocketChannel ruled = channel(null);
                AsynchronousSocketChannel scoped = KernelSockets.call(() -> channel(null))) {
            assertSame(jdk, plain.getClass());
            assertNotSame(jdk, ruled.getClass());
            assertSame(jdk, scoped.getClass());
        }
    }
}
