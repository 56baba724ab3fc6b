package io.sdp4j.offload.net;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;

/** The output side of a connection; {@code Socket} wraps it. */
final class SwitchOutputStream extends OutputStream {
    private final Duplex connection;
    private final Closeable socket;

    SwitchOutputStream(Duplex connection, Closeable socket) {
        this.connection = connection;
        this.socket = socket;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
        connection.write(b, off, len);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
