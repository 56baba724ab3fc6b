package io.sdp4j.offload.net;

import io.sdp4j.offload.OffloadSwitch;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * The reading and writing half of a socket: each call goes to the stack that carries the
 * connection.
 */
abstract sealed class DataSocketImpl extends SwitchSocketImpl permits SwitchClientImpl {
    DataSocketImpl(OffloadSwitch owner) {
        super(owner);
    }

    /** The offloaded connection; null while the kernel's socket does everything. */
    abstract OffloadedConnection offloaded();

    /** The connection that the kernel carries and that may move; null = there is none. */
    abstract MovingConnection moving();

    private Duplex carried() {
        OffloadedConnection connection = offloaded();
        return connection != null ? connection : moving();
    }

    @Override
    protected InputStream getInputStream() throws IOException {
        Duplex connection = carried();
        return connection != null
                ? connection.inputStream(this::close)
                : created().inputStream(); // the kernel's own
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        Duplex connection = carried();
        return connection != null
                ? connection.outputStream(this::close)
                : created().outputStream(); // the kernel's own
    }

    @Override
    protected int available() throws IOException {
        Duplex connection = carried();
        return connection != null ? connection.available() : created().available();
    }

    @Override
    protected void shutdownInput() throws IOException {
        OffloadedConnection connection = offloaded();
        if (connection != null) {
            connection.shutdownInput();
        } else if (moving() != null) {
            moving().shutdownInput();
        } else {
            created().shutdownInput();
        }
    }

    @Override
    protected void shutdownOutput() throws IOException {
        OffloadedConnection connection = offloaded();
        if (connection != null) {
            connection.shutdownOutput();
        } else if (moving() != null) {
            moving().shutdownOutput();
        } else {
            created().shutdownOutput();
        }
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        OffloadedConnection connection = offloaded();
        if (connection != null) {
            connection.sendUrgent(data);
        } else if (moving() != null) {
            moving().sendUrgent(data);
        } else {
            created().sendUrgentData(data);
        }
    }
}
