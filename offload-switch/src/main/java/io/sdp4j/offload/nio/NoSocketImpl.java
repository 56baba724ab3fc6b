package io.sdp4j.offload.nio;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.util.Set;

/**
 * Given by adaptors to their superclass, which without one would make a second socket (behaviour
 * 55). An adaptor overrides everything, so nothing here is ever called.
 */
final class NoSocketImpl extends SocketImpl {
    private static AssertionError called() {
        return new AssertionError("a method of the adaptor is missing");
    }

    @Override
    protected void create(boolean stream) {
        throw called();
    }

    @Override
    protected void connect(String host, int port) {
        throw called();
    }

    @Override
    protected void connect(InetAddress address, int port) {
        throw called();
    }

    @Override
    protected void connect(SocketAddress address, int timeout) {
        throw called();
    }

    @Override
    protected void bind(InetAddress host, int port) {
        throw called();
    }

    @Override
    protected void listen(int backlog) {
        throw called();
    }

    @Override
    protected void accept(SocketImpl s) {
        throw called();
    }

    @Override
    protected InputStream getInputStream() {
        throw called();
    }

    @Override
    protected OutputStream getOutputStream() {
        throw called();
    }

    @Override
    protected int available() {
        throw called();
    }

    @Override
    protected void close() {
        throw called();
    }

    @Override
    protected void sendUrgentData(int data) {
        throw called();
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        throw called();
    }

    @Override
    public void setOption(int id, Object value) {
        throw called();
    }

    @Override
    public Object getOption(int id) {
        throw called();
    }
}
