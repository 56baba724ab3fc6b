package io.sdp4j.resolve;

import java.net.InetAddress;
import java.util.List;

/**
 * Resolves paths inside one host: shared memory to every address of this host, and none to other
 * addresses. The fabric itself finds out whether the process behind such an address can be reached
 * (network namespace, owner).
 *
 * <p>Immutable apart from the cache in {@link LocalAddresses}. Thread-safe.
 *
 * @param localAddresses the addresses of this host
 */
public record HostResolver(LocalAddresses localAddresses) implements FabricResolver {
    /** Name of the shared-memory fabric. */
    public static final String SHM = "shm";

    private static final List<FabricPath> SHARED_MEMORY = List.of(FabricPath.usable(SHM, "", 0, 0));

    @Override
    public List<FabricPath> paths(InetAddress local, InetAddress remote) {
        if (!localAddresses.contains(remote)) {
            return no(remote);
        }
        if (local != null && !local.isAnyLocalAddress() && !localAddresses.contains(local)) {
            return no(local);
        }
        return SHARED_MEMORY;
    }

    private static List<FabricPath> no(InetAddress address) {
        String reason = address.getHostAddress() + " is not an address of this host";
        return List.of(FabricPath.unusable(SHM, PathCode.NOT_LOCAL, reason));
    }
}
