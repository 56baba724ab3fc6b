package io.sdp4j.offload.contract;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.net.SwitchSocketImpl;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;

/** Sockets of one switch, made without installing anything in the JVM. */
public final class SwitchedSockets {
    private SwitchedSockets() {}

    public static Socket socket(OffloadSwitch owner) throws IOException {
        return new Client(SwitchSocketImpl.client(owner, true));
    }

    public static ServerSocket serverSocket(OffloadSwitch owner) {
        return new Listener(owner);
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
