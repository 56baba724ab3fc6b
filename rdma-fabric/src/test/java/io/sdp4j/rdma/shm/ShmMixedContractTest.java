package io.sdp4j.rdma.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.rdma.Fabric;
import io.sdp4j.rdma.FabricContract;
import java.nio.file.Path;
import java.util.List;

/** The contract with the connecting end true and the listening end false for native mode. */
final class ShmMixedContractTest extends FabricContract {
    private Path dir;

    private Path directory() throws Exception {
        if (dir == null) {
            dir = Ends.directory();
        }
        return dir;
    }

    @Override
    protected void afterClose() throws Exception {
        assertEquals(List.of(), Ends.remove(dir));
        assertEquals(List.of(), List.copyOf(Ends.THROWN));
    }

    @Override
    protected Fabric openActive() throws Exception {
        return Ends.fabric(directory(), true);
    }

    @Override
    protected Fabric openPassive() throws Exception {
        return Ends.fabric(directory(), false);
    }
}
