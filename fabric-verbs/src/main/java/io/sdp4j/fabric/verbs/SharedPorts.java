package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;

/**
 * Which RDMA port carries connections to a port of the application: another one where a device
 * shares its ports with TCP. See {@link VerbsConfig#SHARED_PORT_MASK}. Thread-safe.
 */
final class SharedPorts {
    private final Ibv ibv;

    /** Whether the last device asked about shares its ports with TCP. */
    private volatile boolean lastShared;

    SharedPorts(Ibv ibv) {
        this.ibv = ibv;
    }

    /** Whether a wildcard shares its ports with TCP. */
    boolean any() {
        return IbvDevice.anyIwarp(ibv);
    }

    /**
     * The port that carries connections to the application's {@code port} on {@code device}.
     *
     * @param device null = a wildcard's
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

    /** The same for a device that is not known yet: most hosts have devices of one kind. */
    int likely(int port) {
        int wire = port ^ VerbsConfig.SHARED_PORT_MASK;
        return lastShared && wire != 0 ? wire : port;
    }
}
