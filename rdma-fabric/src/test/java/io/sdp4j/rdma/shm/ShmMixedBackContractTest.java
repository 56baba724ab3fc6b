package io.sdp4j.rdma.shm;

/** Only the listening end uses native calls. */
final class ShmMixedBackContractTest extends ShmContract {
    ShmMixedBackContractTest() {
        super(false, true);
    }
}
