package io.sdp4j.sample.memory;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.contract.WaitContract;

/** The contract of fabrics, but for RDMA operations, which this one has none of. */
class MemoryFabricTest extends WaitContract {
    @Override
    protected Fabric openActive() {
        return new MemoryFabric();
    }

    @Override
    protected Fabric openPassive() {
        return new MemoryFabric();
    }

    @Override
    protected void afterClose() {
        // nothing can be left
    }
}
