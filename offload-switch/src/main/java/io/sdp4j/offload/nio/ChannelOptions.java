package io.sdp4j.offload.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import sun.nio.ch.ConnectionChannel;

/**
 * The options of a channel. A channel of the JDK's answers, so that the kernel checks, rounds and
 * remembers them (behaviours 23 and 24).
 *
 * <p>Shape: {@code channel} itself answers as long as its descriptor is a socket. Afterwards {@code
 * holder} answers, a channel that was made to hold the port number of an offloaded connection, or
 * for the options alone. Guarded by the connection's state lock.
 */
final class ChannelOptions {
    private static final String OOB_INLINE = "SO_OOBINLINE";

    private final SwitchSelectorProvider provider;
    private final ConnectionChannel channel;
    private final ProtocolFamily family; // or null
    private Map<SocketOption<?>, Object> set = Map.of(); // replaced when one is set
    private boolean byCopy; // the channel cannot answer any more
    private SocketChannel holder;

    ChannelOptions(
            SwitchSelectorProvider provider, ConnectionChannel channel, ProtocolFamily family) {
        this.provider = provider;
        this.channel = channel;
        this.family = family;
    }

    <T> void put(SocketOption<T> name, T value) throws IOException {
        SocketChannel other = other();
        if (other == null) {
            channel.setKernelOption(name, value);
        } else {
            other.setOption(name, value);
        }
        if (set.isEmpty()) {
            set = new LinkedHashMap<>();
        }
        set.remove(name);
        set.put(name, value);
    }

    /** Adopts options that were set before, in that order. */
    void known(Map<SocketOption<?>, Object> options) {
        if (!options.isEmpty()) {
            set = new LinkedHashMap<>(options);
        }
    }

    <T> T get(SocketOption<T> name) throws IOException {
        SocketChannel other = other();
        return other == null ? channel.kernelOption(name) : other.getOption(name);
    }

    /** Returns the holder if it answers; null = the channel answers, or says that it is closed. */
    private SocketChannel other() throws IOException {
        if (!channel.isOpen()) {
            return null;
        }
        if (holder == null && byCopy) {
            holder = copy();
        }
        return holder;
    }

    /** Has a copy answer from now on, which is made when it is first asked. */
    void answeredByCopy() {
        byCopy = true;
    }

    /** Opens a channel with the same options. It does not answer yet. */
    SocketChannel copy() throws IOException {
        SocketChannel fresh = provider.kernelChannel(family);
        boolean complete = false;
        try {
            for (Map.Entry<SocketOption<?>, Object> e : set.entrySet()) {
                apply(fresh, e.getKey(), e.getValue());
            }
            complete = true;
        } finally {
            if (!complete) {
                fresh.close();
            }
        }
        return fresh;
    }

    private static <T> void apply(SocketChannel to, SocketOption<T> name, Object value)
            throws IOException {
        to.setOption(name, name.type().cast(value));
    }

    /** Has {@code other} answer from now on; null = the channel itself. */
    void answeredBy(SocketChannel other) {
        holder = other;
    }

    /** Returns the seconds that closing may take; 0 = the peer sees a reset; less = not set. */
    int lingerSeconds() {
        return set.get(StandardSocketOptions.SO_LINGER) instanceof Integer seconds ? seconds : -1;
    }

    /** Makes the close of the socket that answers show the peer a reset. */
    void resetAtClose() throws IOException {
        if (holder == null) {
            channel.resetKernelAtClose();
        } else if (holder.isOpen()) {
            holder.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
    }

    /** Whether received urgent bytes stay in the stream. */
    boolean oobInline() {
        for (Map.Entry<SocketOption<?>, Object> e : set.entrySet()) {
            if (isOobInline(e.getKey())) {
                return (Boolean) e.getValue();
            }
        }
        return false;
    }

    /** Whether the stream is to probe a peer that is idle. */
    boolean keepAlive() {
        return Boolean.TRUE.equals(set.get(StandardSocketOptions.SO_KEEPALIVE));
    }

    /** Whether {@code name} is SO_OOBINLINE, which has no public constant. */
    static boolean isOobInline(SocketOption<?> name) {
        return name.name().equals(OOB_INLINE);
    }

    /** Closes the holder, if there is one. */
    void close() throws IOException {
        if (holder != null) {
            holder.close();
        }
    }
}
