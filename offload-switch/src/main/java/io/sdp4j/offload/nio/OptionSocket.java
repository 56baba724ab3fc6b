package io.sdp4j.offload.nio;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Set;

/** The options of a channel that looks like a socket: those of the channel, under other names. */
abstract sealed class OptionSocket extends Socket permits ChannelSocket {
    final SwitchSocketChannel channel;

    OptionSocket(SwitchSocketChannel channel, SocketImpl none) throws SocketException {
        super(none);
        this.channel = channel;
    }

    private <T> void set(SocketOption<T> name, T value) throws SocketException {
        try {
            channel.setOption(name, value);
        } catch (IOException e) {
            throw SocketTexts.socketException(e);
        }
    }

    private <T> T get(SocketOption<T> name) throws SocketException {
        try {
            return channel.getOption(name);
        } catch (IOException e) {
            throw SocketTexts.socketException(e);
        }
    }

    @Override
    public void setTcpNoDelay(boolean value) throws SocketException {
        set(StandardSocketOptions.TCP_NODELAY, value);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return get(StandardSocketOptions.TCP_NODELAY);
    }

    @Override
    public void setKeepAlive(boolean value) throws SocketException {
        set(StandardSocketOptions.SO_KEEPALIVE, value);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return get(StandardSocketOptions.SO_KEEPALIVE);
    }

    @Override
    public void setReuseAddress(boolean value) throws SocketException {
        set(StandardSocketOptions.SO_REUSEADDR, value);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return get(StandardSocketOptions.SO_REUSEADDR);
    }

    @Override
    public void setTrafficClass(int value) throws SocketException {
        set(StandardSocketOptions.IP_TOS, value);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return get(StandardSocketOptions.IP_TOS);
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        if (size <= 0) {
            throw new IllegalArgumentException("Invalid send size");
        }
        set(StandardSocketOptions.SO_SNDBUF, size);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        if (size <= 0) {
            throw new IllegalArgumentException("Invalid receive size");
        }
        set(StandardSocketOptions.SO_RCVBUF, size);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public void setSoLinger(boolean on, int seconds) throws SocketException {
        set(StandardSocketOptions.SO_LINGER, on ? seconds : -1);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return get(StandardSocketOptions.SO_LINGER);
    }

    @Override
    public void setOOBInline(boolean on) throws SocketException {
        set(oobInline(), on);
    }

    @Override
    public boolean getOOBInline() throws SocketException {
        return get(oobInline());
    }

    private SocketOption<Boolean> oobInline() throws SocketException {
        synchronized (channel.stateLock) {
            try {
                return channel.options.oobInlineName();
            } catch (IOException e) {
                throw SocketTexts.socketException(e);
            }
        }
    }

    @Override
    public <T> Socket setOption(SocketOption<T> name, T value) throws IOException {
        channel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }
}
