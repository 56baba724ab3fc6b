package io.sdp4j.offload.contract;

import io.sdp4j.testing.Pair;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** The sockets that a contract is about. */
public interface Sockets {
    /** As {@code new Socket()}. */
    Socket newSocket() throws IOException;

    /** As {@code new ServerSocket()}. */
    ServerSocket newServerSocket() throws IOException;

    /** Whether the data of these sockets goes another way than the kernel's TCP. */
    boolean offloads();

    /**
     * Whether bytes that a write has taken may still wait on this side for a peer that does not
     * read; false where they are with the peer at once, so that a lingering close has nothing to
     * wait for.
     */
    default boolean keepsUnsent() {
        return true;
    }

    /** A listener on an ephemeral port of {@link Here#ADDRESS}. */
    default ServerSocket listen(int backlog) throws IOException {
        ServerSocket listener = newServerSocket();
        listener.bind(new InetSocketAddress(Here.ADDRESS, 0), backlog);
        return listener;
    }

    /** A connected pair. */
    default Pair<ServerSocket, Socket> pair() throws IOException {
        ServerSocket listener = listen(1);
        Socket client = newSocket();
        client.connect(listener.getLocalSocketAddress());
        return new Pair<>(listener, client, listener.accept());
    }
}
