package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;

/**
 * Maps ports of the application to RDMA ports. They differ if a device shares its ports with TCP,
 * see {@link VerbsConfig#SHARED_PORT_MASK}. Thread-safe.
 */
final class SharedPorts {
    private final Ibv ibv;

    /** Whether the device of the last call of {@link #of} shares its ports with TCP. */
    private volatile boolean lastShared;

    SharedPorts(Ibv ibv) {
        this.ibv = ibv;
    }

    /** Whether a listener on a wildcard shares its ports with TCP. */
    boolean any() {
        return IbvDevice.anyIwarp(ibv);
    }

    /**
     * Returns the port that carries connections to the application's {@code port} on {@code
     * device}.
     *
     * @param device null = a wildcard
     */
    int of(VerbsDevice device, int port) throws FabricException {
        boolean shared = device != null ? device.sharesTcpPorts() : any();
        if (device != null) {
            lastShared = shared;
        }
        int wire = shared ? port ^ VerbsConfig.SHARED_PORT_MASK : port;
        if (shared && wire == 0) {
            throw new FabricException(
                    Cause.UNAVAILABLE,
                    "port "
                            + port
                            + " cannot be used over iWARP: the RDMA port beside it would be 0");
        }
        return wire;
    }

    /**
     * Guesses that port for a device that is not known yet: most hosts have devices of one kind
     * only.
     */
    int likely(int port) {
        int wire = port ^ VerbsConfig.SHARED_PORT_MASK;
        return lastShared && wire != 0 ? wire : port;
    }
}
