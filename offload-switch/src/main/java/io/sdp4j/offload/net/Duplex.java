package io.sdp4j.offload.net;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A connection whose reads and writes block. */
interface Duplex {
    /** As {@link InputStream#read(byte[], int, int)}. */
    int read(byte[] b, int off, int len) throws IOException;

    /** As {@link OutputStream#write(byte[], int, int)}. */
    void write(byte[] b, int off, int len) throws IOException;

    /** As {@link InputStream#available()}. */
    int available() throws IOException;

    /**
     * @param socket what the stream's {@code close} closes
     */
    default InputStream inputStream(Closeable socket) {
        return new SwitchInputStream(this, socket);
    }

    /**
     * @param socket what the stream's {@code close} closes
     */
    default OutputStream outputStream(Closeable socket) {
        return new SwitchOutputStream(this, socket);
    }
}
