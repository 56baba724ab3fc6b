package io.sdp4j.offload.net;

import java.io.IOException;
import java.io.OutputStream;

/** The output side of a connection; {@code Socket} wraps it, and closes itself. */
final class SwitchOutputStream extends OutputStream {
    private final Duplex connection;

    SwitchOutputStream(Duplex connection) {
        this.connection = connection;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
        connection.write(b, off, len);
    }
}
