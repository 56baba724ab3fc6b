package io.sdp4j.offload.net;

import java.io.IOException;
import java.io.InputStream;

/** The input side of a connection; {@code Socket} wraps it, and closes itself. */
final class SwitchInputStream extends InputStream {
    private final Duplex connection;

    SwitchInputStream(Duplex connection) {
        this.connection = connection;
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
}
