package io.sdp4j.offload.net;

import io.sdp4j.offload.OffloadSwitch;
import java.net.SocketImpl;
import java.net.SocketImplFactory;

/**
 * Makes implementations for one kind of socket. Only allocates (behaviour 61): the JDK asks for one
 * with every TLS wrapper and each pending accept, and often throws it away.
 *
 * @param server for {@code ServerSocket.setSocketFactory}, else {@code Socket.setSocketImplFactory}
 */
public record SwitchSocketFactory(OffloadSwitch owner, boolean server)
        implements SocketImplFactory {
    @Override
    public SocketImpl createSocketImpl() {
        return server
                ? SwitchSocketImpl.server(owner)
                : SwitchSocketImpl.client(owner, !Proxies.possible() || !Proxies.declined());
    }
}
