package io.sdp4j.offload.contract.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.policy.Policy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The contract with a provider that listens, but never brings a connection up. */
class FallbackNioTest extends SwitchedNioTest {
    FallbackNioTest() {
        super(Policy.allowAll(), List.of(new FailingProvider()));
    }

    @Override
    public boolean offloads() {
        return false;
    }

    @Test
    void countsWhatFellBack() throws Exception {
        try (var p = polledPair()) {
            Nio.send(p.client(), "12345");
            assertEquals("12345", Nio.receive(p.server(), 5));
            assertEquals(1, owner.report().kernelFallback());
            assertEquals(Map.of(), owner.report().acceptedOffloaded());
        }
    }

    /** The end of an attempt wakes selectors, which may be after {@code finishConnect}. */
    @Override
    public boolean wakesForNothing() {
        return true;
    }

    @Override
    public int programs() {
        return Scale.of(100, 10_000);
    }
}
