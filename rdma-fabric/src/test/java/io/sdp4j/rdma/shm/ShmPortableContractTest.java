package io.sdp4j.rdma.shm;

/** Neither end uses native calls. */
final class ShmPortableContractTest extends ShmContract {
    ShmPortableContractTest() {
        super(false, false);
    }
}
