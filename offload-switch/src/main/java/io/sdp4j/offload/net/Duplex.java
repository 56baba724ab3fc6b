package io.sdp4j.offload.net;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.StreamHandle;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketException;

/** A blocking connection that is offloaded or may move. */
interface Duplex {
    /** As {@link InputStream#read(byte[], int, int)}. */
    int read(byte[] b, int off, int len) throws IOException;

    /** As {@link OutputStream#write(byte[], int, int)}. */
    void write(byte[] b, int off, int len) throws IOException;

    /** As {@link InputStream#available()}. */
    int available() throws IOException;

    void sendUrgent(int value) throws IOException;

    void shutdownInput() throws IOException;

    void shutdownOutput() throws IOException;

    /** SO_TIMEOUT; takes effect at the next read. */
    void timeoutMillis(int millis) throws SocketException;

    void oobInline(boolean inline);

    void keepAlive(boolean on);

    /** See {@link StreamHandle#migrate}; false while nothing is offloaded. */
    boolean migrate() throws IOException;

    /** Where the connection runs, and why. */
    ConnectionInfo info();

    /**
     * Closes the connection. The caller closes the kernel's socket afterwards.
     *
     * @param lingerSeconds see {@link StreamHandle#close}
     */
    void close(int lingerSeconds) throws IOException;

    default InputStream inputStream() {
        return new SwitchInputStream(this);
    }

    default OutputStream outputStream() {
        return new SwitchOutputStream(this);
    }
}
