package io.sdp4j.offload.nio;

import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/** Exceptions of an adaptor where its channel throws another one. Stateless. */
final class SocketTexts {
    private SocketTexts() {}

    /** The {@code SocketException} for {@code x}; what has none is thrown as it is. */
    static SocketException socketException(Exception x) {
        if (x instanceof SocketException s) {
            return s;
        }
        String text =
                switch (x) {
                    case ClosedChannelException _ -> "Socket is closed";
                    case NotYetConnectedException _ -> "Socket is not connected";
                    case AlreadyBoundException _ -> "Already bound";
                    case AlreadyConnectedException _ -> "Already connected";
                    case NotYetBoundException _ -> "Socket is not bound yet";
                    case UnsupportedAddressTypeException _ -> "Unsupported address type";
                    case UnresolvedAddressException _ -> "Unresolved address";
                    case IOException e -> e.getMessage();
                    case RuntimeException e -> throw e;
                    default -> throw new AssertionError(x);
                };
        SocketException s = new SocketException(text);
        s.initCause(x);
        return s;
    }

    /** An {@code IOException} as it is, everything else as {@link #socketException}. */
    static IOException ioException(Exception x) {
        return x instanceof IOException e ? e : socketException(x);
    }
}
