package io.sdp4j.resolve;

import java.util.Objects;
import java.util.Optional;

/**
 * One way from this host to an address, usable or not.
 *
 * @param fabric name of the fabric, such as {@code shm}
 * @param device the fabric's device; empty if the fabric has none or the device is not known
 * @param port the device's port, 1-based; 0 if the fabric has none
 * @param mtuBytes largest message that the path carries in one packet; 0 = no limit, or not known
 * @param code why the path can or cannot be used
 * @param reason why the path cannot be used, as a clause; empty if it can
 * @param rdma the layers below the path, if its device is known
 */
public record FabricPath(
        String fabric,
        String device,
        int port,
        int mtuBytes,
        PathCode code,
        String reason,
        Optional<RdmaRoute> rdma) {
    /**
     * Checks that nothing is null, no number is negative, and exactly the unusable paths have a
     * reason.
     */
    public FabricPath {
        Objects.requireNonNull(fabric);
        Objects.requireNonNull(device);
        Objects.requireNonNull(rdma);
        if (port < 0 || mtuBytes < 0) {
            throw new IllegalArgumentException("port " + port + ", mtuBytes " + mtuBytes);
        }
        if (reason.isEmpty() != (code == PathCode.USABLE)) {
            throw new IllegalArgumentException(code + ", but the reason is \"" + reason + '"');
        }
    }

    /** A path that can be used. */
    public static FabricPath usable(String fabric, String device, int port, int mtuBytes) {
        return new FabricPath(
                fabric, device, port, mtuBytes, PathCode.USABLE, "", Optional.empty());
    }

    /** A path over no particular device that cannot be used. */
    public static FabricPath unusable(String fabric, PathCode code, String reason) {
        return new FabricPath(fabric, "", 0, 0, code, reason, Optional.empty());
    }

    /** Whether the path can be used. */
    public boolean usable() {
        return code == PathCode.USABLE;
    }
}
