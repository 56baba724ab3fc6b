package io.sdp4j.offload.contract;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.net.SwitchSocketImpl;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** Sockets of one switch, made without installing anything in the JVM. */
public final class SwitchedSockets {
    private SwitchedSockets() {}

    public static Socket socket(OffloadSwitch owner) throws IOException {
        return new Client(SwitchSocketImpl.client(owner, true));
    }

    public static ServerSocket serverSocket(OffloadSwitch owner) {
        return new Listener(owner);
    }

    /** Where a socket's connection runs and why; empty if no switch knows it or it has none. */
    public static Optional<ConnectionInfo> explain(Socket socket) {
        return implOf(socket) instanceof SwitchSocketImpl impl
                ? impl.connectionInfo()
                : Optional.empty();
    }

    /** The implementation behind a socket. */
    public static SocketImpl implOf(Socket socket) {
        try {
            Method impl = Socket.class.getDeclaredMethod("impl");
            impl.setAccessible(true);
            return (SocketImpl) impl.invoke(socket);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** State, to be changed, of a socket that was connected before the switch had started. */
    public static Map<String, Object> earlyState(Socket socket) {
        Map<String, Object> state = new HashMap<>();
        state.put("platform", implOf(socket));
        state.put("created", true);
        state.put("remote", socket.getRemoteSocketAddress());
        state.put("readLock", new ReentrantLock());
        state.put("writeLock", new ReentrantLock());
        state.put("sent", new AtomicLong());
        state.put("received", new AtomicLong());
        state.put("turns", 0L);
        state.put("bornNanos", System.nanoTime());
        return state;
    }

    private static final class Client extends Socket {
        Client(SocketImpl impl) throws SocketException {
            super(impl);
        }
    }

    private static final class Listener extends ServerSocket {
        private final OffloadSwitch owner;

        Listener(OffloadSwitch owner) {
            super(SwitchSocketImpl.server(owner));
            this.owner = owner;
        }

        @Override
        public Socket accept() throws IOException {
            if (isClosed()) {
                throw new SocketException("Socket is closed");
            }
            if (!isBound()) {
                throw new SocketException("Socket is not bound yet");
            }
            Socket accepted = new Client(SwitchSocketImpl.client(owner, false));
            implAccept(accepted);
            return accepted;
        }
    }
}
