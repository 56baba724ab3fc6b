package io.sdp4j.stream;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;

/**
 * A kernel's listener whose address this JVM can also connect from: a second socket is bound to it,
 * for a listener is no proof.
 */
final class ProvedListener extends ServerSocket {
    private final Socket proof = new Socket();

    ProvedListener(InetAddress host) throws IOException {
        setOption(StandardSocketOptions.SO_REUSEPORT, true);
        bind(new InetSocketAddress(host, 0), 50);
        proof.setOption(StandardSocketOptions.SO_REUSEPORT, true);
        proof.bind(getLocalSocketAddress());
    }

    @Override
    public void close() throws IOException {
        proof.close();
        super.close();
    }
}
