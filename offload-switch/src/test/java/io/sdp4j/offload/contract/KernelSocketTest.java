package io.sdp4j.offload.contract;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/** The contract as the kernel and the JDK write it. */
class KernelSocketTest extends SocketContract {
    @Override
    public Socket newSocket() {
        return new Socket();
    }

    @Override
    public ServerSocket newServerSocket() throws IOException {
        return new ServerSocket();
    }

    @Override
    public boolean offloads() {
        return false;
    }
}
