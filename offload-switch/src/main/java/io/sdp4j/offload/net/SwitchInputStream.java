package io.sdp4j.offload.net;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/** The input side of a connection; {@code Socket} wraps it. */
final class SwitchInputStream extends InputStream {
    private final Duplex connection;
    private final Closeable socket;

    SwitchInputStream(Duplex connection, Closeable socket) {
        this.connection = connection;
        this.socket = socket;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) > 0 ? one[0] & 0xff : -1;
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
        return connection.read(b, off, len);
    }

    @Override
    public int available() throws IOException {
        return connection.available();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
