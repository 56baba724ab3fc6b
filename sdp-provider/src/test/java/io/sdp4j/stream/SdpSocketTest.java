package io.sdp4j.stream;

import io.sdp4j.offload.contract.SwitchedTest;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;

/** The contract of {@code java.net} sockets over SDP on shared memory, with native calls. */
class SdpSocketTest extends SwitchedTest {
    private static final TestFabric FABRIC = open();

    SdpSocketTest() {
        super(Policy.allowAll(), List.of(FABRIC.provider()));
    }

    private static TestFabric open() {
        try {
            return new TestFabric();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterAll
    static void shut() throws IOException {
        FABRIC.close();
    }

    @Override
    public boolean offloads() {
        return true;
    }

    @Override
    public boolean keepsUnsent() {
        return false;
    }
}
