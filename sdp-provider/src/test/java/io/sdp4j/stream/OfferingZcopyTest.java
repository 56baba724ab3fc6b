package io.sdp4j.stream;

import java.io.IOException;

/** Where waiting reads are offered to the peer. */
final class OfferingZcopyTest extends ZcopyContract {
    @Override
    TestFabric openFabric() throws IOException {
        return new TestFabric();
    }

    @Override
    boolean offers() {
        return true;
    }
}
