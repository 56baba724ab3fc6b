package io.sdp4j.offload.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.Set;

/**
 * A channel's account of itself: options, addresses, text.
 *
 * <p>{@code stateLock} guards the options, and the state of the classes below; no thread waits
 * while holding it.
 */
abstract sealed class DescribedSocketChannel extends SocketChannel permits DataSocketChannel {
    final Object stateLock = new Object();
    final ChannelOptions options; // stateLock

    DescribedSocketChannel(SelectorProvider provider, ChannelOptions options) {
        super(provider);
        this.options = options;
    }

    /** The stream if reading and writing is its business, else null. */
    abstract ChannelStream connectedStream();

    /** The JDK's own channel; null for an accepted one. */
    abstract SocketChannel kernel();

    /** How it gets its connection; null for an accepted channel. */
    abstract ChannelConnect connecting();

    /** Null if not bound; also after the end where it was known. */
    abstract SocketAddress localAddress() throws IOException;

    /** Null if not connecting or connected. */
    abstract SocketAddress remoteAddress() throws IOException;

    /** Tells a stream what the option is now; under the state lock. */
    abstract void oobInline(boolean inline);

    final void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        ensureOpen();
        return localAddress();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        ensureOpen();
        return remoteAddress();
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (stateLock) {
            checkSupported(name);
            if (!name.type().isInstance(value)) {
                throw new IllegalArgumentException("Invalid value '" + value + "'");
            }
            ensureOpen();
            options.put(name, value);
            if (ChannelOptions.isOobInline(name)) {
                oobInline((Boolean) value);
            }
        }
        return this;
    }

    private void checkSupported(SocketOption<?> name) {
        if (!supportedOptions().contains(Objects.requireNonNull(name))) {
            throw new UnsupportedOperationException("'" + name + "' not supported");
        }
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        synchronized (stateLock) {
            checkSupported(name);
            ensureOpen();
            return options.get(name);
        }
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        synchronized (stateLock) {
            try {
                return options.names();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public String toString() {
        ChannelStream s = connectedStream();
        if (s == null && !connecting().pendingOffload()) {
            return kernel().toString();
        }
        StringBuilder text = new StringBuilder(SocketChannel.class.getName()).append('[');
        if (!isOpen()) {
            return text.append("closed]").toString();
        }
        if (s == null) {
            text.append("connection-pending");
        } else {
            text.append("connected")
                    .append(s.inputShut() ? " ishut" : "")
                    .append(s.outputShut() ? " oshut" : "");
        }
        try {
            SocketAddress here = localAddress();
            SocketAddress there = remoteAddress();
            text.append(here == null ? "" : " local=" + here);
            text.append(there == null ? "" : " remote=" + there);
        } catch (IOException e) {
            // closed meanwhile
        }
        return text.append(']').toString();
    }
}
