package io.sdp4j;

import io.sdp4j.api.SdpProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import javax.net.ServerSocketFactory;

/** Listeners of one provider. */
final class ApiServerSocketFactory extends ServerSocketFactory {
    private final SdpProvider owner;

    ApiServerSocketFactory(SdpProvider owner) {
        this.owner = owner;
    }

    @Override
    public ServerSocket createServerSocket() throws IOException {
        return owner.openServerSocket();
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        return createServerSocket(port, 0);
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog) throws IOException {
        return createServerSocket(port, backlog, null);
    }

    /** A backlog below 1 and a null address mean the defaults, as in {@link ServerSocket}. */
    @Override
    public ServerSocket createServerSocket(int port, int backlog, InetAddress local)
            throws IOException {
        ServerSocket listener = owner.openServerSocket();
        try {
            listener.bind(new InetSocketAddress(local, port), backlog);
            return listener;
        } catch (IOException | RuntimeException e) {
            listener.close();
            throw e;
        }
    }
}
