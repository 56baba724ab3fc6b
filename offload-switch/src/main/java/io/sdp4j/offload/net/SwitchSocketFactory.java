package io.sdp4j.offload.net;

import io.sdp4j.offload.OffloadSwitch;
import java.net.SocketImpl;
import java.net.SocketImplFactory;

/**
 * Makes implementations for one kind of socket. Does nothing but allocate (behaviour 61): it is
 * asked for every TLS wrapper and for each pending accept, and what it gives is often thrown away.
 */
public final class SwitchSocketFactory implements SocketImplFactory {
    private final OffloadSwitch owner;
    private final boolean server;

    private SwitchSocketFactory(OffloadSwitch owner, boolean server) {
        this.owner = owner;
        this.server = server;
    }

    /** For {@code Socket.setSocketImplFactory}. */
    public static SwitchSocketFactory client(OffloadSwitch owner) {
        return new SwitchSocketFactory(owner, false);
    }

    /** For {@code ServerSocket.setSocketFactory}. */
    public static SwitchSocketFactory server(OffloadSwitch owner) {
        return new SwitchSocketFactory(owner, true);
    }

    @Override
    public SocketImpl createSocketImpl() {
        return server
                ? SwitchSocketImpl.server(owner)
                : SwitchSocketImpl.client(owner, !Proxies.possible() || !Proxies.declined());
    }
}
