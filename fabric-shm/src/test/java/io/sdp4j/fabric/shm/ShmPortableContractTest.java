package io.sdp4j.fabric.shm;

/** Neither end uses native calls. */
final class ShmPortableContractTest extends ShmContract {
    ShmPortableContractTest() {
        super(false, false);
    }
}
