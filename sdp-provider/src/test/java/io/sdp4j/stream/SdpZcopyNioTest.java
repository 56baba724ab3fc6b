package io.sdp4j.stream;

import io.sdp4j.offload.contract.nio.SwitchedNioTest;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The contract of channels and selectors where blocking operations lend every direct buffer. As
 * long as the same contract over copied buffers, and off by default: in the deep profile.
 */
@EnabledIfSystemProperty(named = "sdp4j.test.profile", matches = "deep")
class SdpZcopyNioTest extends SwitchedNioTest {
    private static final TestFabric FABRIC = TestFabric.opened();

    SdpZcopyNioTest() {
        super(Policy.allowAll(), List.of(FABRIC.provider(TestFabric.tinyZcopy(true, 262_144))));
    }

    @AfterAll
    static void shut() throws IOException {
        FABRIC.close();
    }

    @Override
    public boolean offloads() {
        return true;
    }

    /** Lending is tried with buffers of 16 KiB, and small writes use up some of them. */
    @Override
    public int leastUnreadBytes() {
        return 200_000;
    }

    @Override
    public int leastUnreadInSmallWrites() {
        return 100_000; // there are few buffers, and half of them are taken by some of these each
    }
}
