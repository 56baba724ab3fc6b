package io.sdp4j.fabric.shm;

/** Only the listening end uses native calls. */
final class ShmMixedBackContractTest extends ShmContract {
    ShmMixedBackContractTest() {
        super(false, true);
    }
}
