package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.contract.FabricContract;
import java.nio.file.Path;
import java.util.List;

/** The contract over shared memory, in a directory that is empty again afterwards. */
abstract class ShmContract extends FabricContract {
    private final boolean activeNative;
    private final boolean passiveNative;
    private Path dir;

    /**
     * @param activeNative whether the connecting end uses native calls
     * @param passiveNative whether the listening end does
     */
    ShmContract(boolean activeNative, boolean passiveNative) {
        this.activeNative = activeNative;
        this.passiveNative = passiveNative;
    }

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
        return Ends.fabric(directory(), activeNative);
    }

    @Override
    protected Fabric openPassive() throws Exception {
        return Ends.fabric(directory(), passiveNative);
    }
}
