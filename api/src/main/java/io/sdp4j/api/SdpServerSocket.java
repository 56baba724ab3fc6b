package io.sdp4j.api;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketImpl;

/**
 * A listener for SDP. Behaves as {@link ServerSocket} in every other respect, thread-safety
 * included.
 *
 * <p>A kernel listener is bound beside it, because the kernel decides who owns a port. Unless the
 * rules of its {@link SdpConfig} say otherwise, a peer that comes by plain TCP is reset.
 *
 * @since 0.1
 */
public abstract class SdpServerSocket extends ServerSocket {
    /**
     * For implementations.
     *
     * @param impl accepts
     */
    protected SdpServerSocket(SocketImpl impl) {
        super(impl);
    }

    /**
     * As {@link ServerSocket#accept}.
     *
     * @return the accepted connection
     * @throws IOException as there
     */
    @Override
    public abstract SdpSocket accept() throws IOException;
}
