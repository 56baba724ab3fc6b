package io.sdp4j.resolve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HostResolverTest {
    private static final InetAddress MINE = InetAddress.ofLiteral("10.1.2.3");
    private static final InetAddress FOREIGN = InetAddress.ofLiteral("10.1.2.4");
    private static final InetAddress ANY = InetAddress.ofLiteral("0.0.0.0");
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("::1");

    private final FabricResolver resolver =
            new HostResolver(new LocalAddresses(() -> Set.of(MINE), System::nanoTime));

    private FabricPath only(InetAddress local, InetAddress remote) {
        List<FabricPath> paths = resolver.paths(local, remote);
        assertEquals(1, paths.size());
        assertEquals("shm", paths.getFirst().fabric());
        return paths.getFirst();
    }

    @Test
    void thisHostIsReachedThroughSharedMemory() {
        assertTrue(only(null, MINE).usable());
        assertTrue(only(null, LOOPBACK).usable());
        assertTrue(only(ANY, MINE).usable());
        assertTrue(only(MINE, LOOPBACK).usable());
    }

    @Test
    void elsewhereThereIsNothingAndAReason() {
        FabricPath path = only(null, FOREIGN);
        assertFalse(path.usable());
        assertEquals("10.1.2.4 is not an address of this host", path.reason());
        assertFalse(only(FOREIGN, MINE).usable());
    }

    @Test
    void aPathIsWellFormed() {
        assertThrows(
                IllegalArgumentException.class,
                () -> FabricPath.unusable("shm", PathCode.NOT_LOCAL, ""));
        assertThrows(
                IllegalArgumentException.class, () -> FabricPath.usable("verbs", "mlx5_0", -1, 0));
    }
}
