package io.sdp4j.stream;

import java.io.IOException;

/** Where the kernel lets one side read the other. */
final class DirectZcopyTest extends ZcopyContract {
    @Override
    TestFabric openFabric() throws IOException {
        return new TestFabric();
    }

    @Override
    boolean offers() {
        return false;
    }
}
