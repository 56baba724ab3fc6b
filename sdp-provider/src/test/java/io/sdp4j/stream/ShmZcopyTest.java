package io.sdp4j.stream;

import java.io.IOException;

/** Over shared memory, where reads travel in chunks. */
final class ShmZcopyTest extends ZcopyContract {
    @Override
    TestFabric openFabric() throws IOException {
        return new TestFabric();
    }

    @Override
    boolean offers() {
        return false;
    }
}
