package io.sdp4j;

import io.sdp4j.offload.KernelScope;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.util.Set;

/**
 * A kernel socket that never carries data: it owns the port number against TCP and answers for
 * options exactly as the kernel does. Exactly one of the two fields is set. Thread-safe as the
 * JDK's sockets are.
 */
final class PortHolder {
    private final Socket client;
    private final ServerSocket listener;

    private PortHolder(Socket client, ServerSocket listener) {
        this.client = client;
        this.listener = listener;
    }

    static PortHolder client() {
        return new PortHolder(KernelScope.call(Socket::new), null);
    }

    static PortHolder listener() throws SocketException {
        try {
            return new PortHolder(
                    null, KernelScope.<ServerSocket, IOException>call(ServerSocket::new));
        } catch (IOException e) {
            throw socketException(e);
        }
    }

    private static SocketException socketException(IOException e) {
        return e instanceof SocketException s ? s : new SocketException(e.getMessage(), e);
    }

    static Set<SocketOption<?>> supportedOptions(boolean server) {
        try (Socket s = server ? null : client().client;
                ServerSocket l = server ? listener().listener : null) {
            return s != null ? s.supportedOptions() : l.supportedOptions();
        } catch (IOException e) {
            return Set.of();
        }
    }

    void bind(InetSocketAddress address) throws IOException {
        if (client != null) {
            client.bind(address);
        } else {
            listener.bind(address);
        }
    }

    InetAddress localAddress() {
        return client != null ? client.getLocalAddress() : listener.getInetAddress();
    }

    int localPort() {
        return Math.max(0, client != null ? client.getLocalPort() : listener.getLocalPort());
    }

    /** The kernel listener; null for a client. */
    ServerSocket kernelListener() {
        return listener;
    }

    /** SO_LINGER, -1 = off. */
    int lingerSeconds() throws SocketException {
        return client == null ? -1 : client.getSoLinger();
    }

    void close() throws IOException {
        if (client != null) {
            client.close();
        } else {
            listener.close();
        }
    }

    void setOption(int id, Object value) throws SocketException {
        try {
            switch (id) {
                case SocketOptions.SO_LINGER ->
                        client.setSoLinger(
                                value instanceof Integer, value instanceof Integer i ? i : 0);
                case SocketOptions.SO_OOBINLINE -> client.setOOBInline((Boolean) value);
                case SocketOptions.TCP_NODELAY -> client.setTcpNoDelay((Boolean) value);
                case SocketOptions.SO_KEEPALIVE -> client.setKeepAlive((Boolean) value);
                case SocketOptions.IP_TOS ->
                        setOption(StandardSocketOptions.IP_TOS, (Integer) value);
                case SocketOptions.SO_SNDBUF ->
                        setOption(StandardSocketOptions.SO_SNDBUF, (Integer) value);
                case SocketOptions.SO_RCVBUF ->
                        setOption(StandardSocketOptions.SO_RCVBUF, (Integer) value);
                case SocketOptions.SO_REUSEADDR ->
                        setOption(StandardSocketOptions.SO_REUSEADDR, (Boolean) value);
                case SocketOptions.SO_REUSEPORT ->
                        setOption(StandardSocketOptions.SO_REUSEPORT, (Boolean) value);
                default -> throw new SocketException("Unknown option " + id);
            }
        } catch (IOException e) {
            throw socketException(e);
        }
    }

    Object option(int id) throws SocketException {
        try {
            return switch (id) {
                case SocketOptions.SO_BINDADDR -> localAddress();
                case SocketOptions.SO_LINGER -> lingerOption();
                case SocketOptions.SO_OOBINLINE -> client.getOOBInline();
                case SocketOptions.TCP_NODELAY -> client.getTcpNoDelay();
                case SocketOptions.SO_KEEPALIVE -> client.getKeepAlive();
                case SocketOptions.IP_TOS -> option(StandardSocketOptions.IP_TOS);
                case SocketOptions.SO_SNDBUF -> option(StandardSocketOptions.SO_SNDBUF);
                case SocketOptions.SO_RCVBUF -> option(StandardSocketOptions.SO_RCVBUF);
                case SocketOptions.SO_REUSEADDR -> option(StandardSocketOptions.SO_REUSEADDR);
                case SocketOptions.SO_REUSEPORT -> option(StandardSocketOptions.SO_REUSEPORT);
                default -> throw new SocketException("Unknown option " + id);
            };
        } catch (IOException e) {
            throw socketException(e);
        }
    }

    private Object lingerOption() throws SocketException {
        int seconds = client.getSoLinger();
        if (seconds < 0) {
            return false;
        }
        return seconds;
    }

    <T> void setOption(SocketOption<T> name, T value) throws IOException {
        if (client != null) {
            client.setOption(name, value);
        } else {
            listener.setOption(name, value);
        }
    }

    <T> T option(SocketOption<T> name) throws IOException {
        return client != null ? client.getOption(name) : listener.getOption(name);
    }
}
