package io.sdp4j;

import io.sdp4j.offload.KernelScope;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * The way to plain kernel TCP while the agent routes sockets: what an address family of its own is
 * to other switches.
 *
 * <p>Thread-safe. A scope covers the thread that runs the piece, and threads forked in a structured
 * way from it; sockets created inside stay on the kernel wherever they are used.
 */
public final class KernelSockets {
    private KernelSockets() {}

    /** An unconnected socket that will use kernel TCP whatever the rules say. */
    public static Socket openSocket() {
        return KernelScope.call(Socket::new);
    }

    /** An unbound listener on kernel TCP alone. */
    public static ServerSocket openServerSocket() throws IOException {
        return KernelScope.<ServerSocket, IOException>call(ServerSocket::new);
    }

    /** Runs {@code piece} with every new socket on kernel TCP. */
    public static void run(Runnable piece) {
        KernelScope.run(piece);
    }

    /** As {@link #run}, for a piece with a result or an exception. */
    public static <R, X extends Throwable> R call(ScopedValue.CallableOp<? extends R, X> piece)
            throws X {
        return KernelScope.call(piece);
    }
}
