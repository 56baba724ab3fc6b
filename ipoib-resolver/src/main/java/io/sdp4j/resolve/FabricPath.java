package io.sdp4j.resolve;

import java.util.Objects;

/**
 * One way from this host to an address, usable or not.
 *
 * @param fabric name of the fabric, such as {@code shm}
 * @param device the fabric's device; empty where a fabric has none
 * @param port the device's port, 1-based; 0 where a fabric has none
 * @param mtuBytes largest message the path carries in one packet; 0: no such limit
 * @param reason why the path cannot be used, as a clause; empty: it can
 */
public record FabricPath(String fabric, String device, int port, int mtuBytes, String reason) {
    /** Nothing is null, no number negative. */
    public FabricPath {
        Objects.requireNonNull(fabric);
        Objects.requireNonNull(device);
        Objects.requireNonNull(reason);
        if (port < 0 || mtuBytes < 0) {
            throw new IllegalArgumentException("port " + port + ", mtuBytes " + mtuBytes);
        }
    }

    /** A path that can be used. */
    public static FabricPath usable(String fabric, String device, int port, int mtuBytes) {
        return new FabricPath(fabric, device, port, mtuBytes, "");
    }

    /** A path that cannot. */
    public static FabricPath unusable(String fabric, String reason) {
        if (reason.isEmpty()) {
            throw new IllegalArgumentException("a path that cannot be used has a reason");
        }
        return new FabricPath(fabric, "", 0, 0, reason);
    }

    /** Whether the path can be used. */
    public boolean usable() {
        return reason.isEmpty();
    }
}
