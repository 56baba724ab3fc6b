package io.sdp4j.api;

import io.sdp4j.api.spi.KernelScope;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * The way to plain kernel TCP where other sockets are offloaded, by the agent or by this API. Other
 * switches have an address family of their own for that.
 *
 * <p>Thread-safe. A scope covers the thread that runs the piece, and threads forked in a structured
 * way from it. A socket created inside stays on the kernel wherever it is used; one created outside
 * is unaffected. An agent that is attached to a running JVM does not see the scopes of a program
 * that has used this class before.
 *
 * @since 0.1
 */
public final class KernelSockets {
    private static final ScopedValue<Boolean> ACTIVE = KernelScope.find();

    private KernelSockets() {}

    /**
     * An unconnected socket that will use kernel TCP whatever the rules say.
     *
     * @return a new socket
     */
    public static Socket openSocket() {
        return call(Socket::new);
    }

    /**
     * An unbound listener on kernel TCP alone.
     *
     * @return a new listener
     * @throws IOException if the kernel gives none
     */
    public static ServerSocket openServerSocket() throws IOException {
        return KernelSockets.<ServerSocket, IOException>call(ServerSocket::new);
    }

    /**
     * Runs a piece of program with every new socket, channel and listener on kernel TCP.
     *
     * @param piece run once, by the calling thread
     */
    public static void run(Runnable piece) {
        ScopedValue.where(ACTIVE, true).run(piece);
    }

    /**
     * As {@link #run}, for a piece with a result or an exception.
     *
     * @param piece run once, by the calling thread
     * @param <R> type of the result
     * @param <X> type of the exception
     * @return what the piece returned
     * @throws X what the piece threw
     */
    public static <R, X extends Throwable> R call(ScopedValue.CallableOp<? extends R, X> piece)
            throws X {
        return ScopedValue.where(ACTIVE, true).call(piece);
    }

    /**
     * Whether the caller is inside such a piece.
     *
     * @return true if new sockets of this thread are the kernel's
     */
    public static boolean active() {
        return ACTIVE.isBound();
    }
}
