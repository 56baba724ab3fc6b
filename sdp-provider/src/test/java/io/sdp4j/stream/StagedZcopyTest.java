package io.sdp4j.stream;

import java.io.IOException;

/** Where every read travels through chunks. */
final class StagedZcopyTest extends ZcopyContract {
    @Override
    TestFabric openFabric() throws IOException {
        return TestFabric.staged();
    }

    @Override
    boolean offers() {
        return false;
    }
}
