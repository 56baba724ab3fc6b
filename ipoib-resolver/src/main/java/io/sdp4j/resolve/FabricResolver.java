package io.sdp4j.resolve;

import java.net.InetAddress;
import java.util.List;

/** Answers which fabrics may carry a connection. Implementations are thread-safe. */
@FunctionalInterface
public interface FabricResolver {
    /**
     * Returns the paths to an address, best first. A path that cannot be used says why.
     *
     * @param local the address that the connection is to come from; null = any
     * @param remote the destination
     * @return at least one path
     */
    List<FabricPath> paths(InetAddress local, InetAddress remote);
}
