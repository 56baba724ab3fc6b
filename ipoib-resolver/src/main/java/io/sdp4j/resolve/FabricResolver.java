package io.sdp4j.resolve;

import java.net.InetAddress;
import java.util.List;

/**
 * Answers which fabrics may carry a connection. Implementations are safe for any number of threads.
 */
@FunctionalInterface
public interface FabricResolver {
    /**
     * The paths to an address, best first; those that cannot be used say why.
     *
     * @param local the address the connection is to come from; null: any
     * @param remote the destination
     * @return at least one path
     */
    List<FabricPath> paths(InetAddress local, InetAddress remote);
}
