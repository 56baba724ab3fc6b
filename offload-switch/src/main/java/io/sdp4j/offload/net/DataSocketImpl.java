package io.sdp4j.offload.net;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.OffloadSwitch;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;

/**
 * The reading and writing half of a socket: each call goes to the stack that carries the
 * connection.
 */
abstract sealed class DataSocketImpl extends SwitchSocketImpl permits SwitchClientImpl {
    /** The connection if it is offloaded or may move; null while the kernel's socket has it all. */
    volatile Duplex carried; // set under stateLock, once for each connection

    DataSocketImpl(OffloadSwitch owner) {
        super(owner);
    }

    @Override
    public Optional<ConnectionInfo> connectionInfo() {
        Duplex connection = carried;
        return connection != null ? Optional.of(connection.info()) : super.connectionInfo();
    }

    @Override
    public boolean migrate() throws IOException {
        Duplex connection = carried;
        return connection != null && connection.migrate();
    }

    @Override
    protected InputStream getInputStream() throws IOException {
        Duplex connection = carried;
        return connection != null
                ? connection.inputStream(this::close)
                : created().inputStream(); // the kernel's own
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        Duplex connection = carried;
        return connection != null
                ? connection.outputStream(this::close)
                : created().outputStream(); // the kernel's own
    }

    @Override
    protected int available() throws IOException {
        Duplex connection = carried;
        return connection != null ? connection.available() : created().available();
    }

    @Override
    protected void shutdownInput() throws IOException {
        Duplex connection = carried;
        if (connection != null) {
            connection.shutdownInput();
        } else {
            created().shutdownInput();
        }
    }

    @Override
    protected void shutdownOutput() throws IOException {
        Duplex connection = carried;
        if (connection != null) {
            connection.shutdownOutput();
        } else {
            created().shutdownOutput();
        }
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        Duplex connection = carried;
        if (connection != null) {
            connection.sendUrgent(data);
        } else {
            created().sendUrgentData(data);
        }
    }
}
