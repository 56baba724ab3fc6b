package io.sdp4j.fabric.shm;

/** Only the connecting end uses native calls. */
final class ShmMixedContractTest extends ShmContract {
    ShmMixedContractTest() {
        super(true, false);
    }
}
