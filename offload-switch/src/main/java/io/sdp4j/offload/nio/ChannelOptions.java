package io.sdp4j.offload.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The options of a channel, answered by a channel of the JDK's, so that the kernel checks, rounds
 * and remembers them (behaviours 23 and 24).
 *
 * <p>Shape: {@code holder} is the channel that answers: the one that connects through the kernel,
 * or one that was made to hold the port number of an offloaded connection; null before an accepted
 * connection is asked for the first time. Guarded by the channel's state lock.
 */
final class ChannelOptions {
    private static final String OOB_INLINE = "SO_OOBINLINE";

    private final SwitchSelectorProvider provider;
    private final ProtocolFamily family;
    private final Integer inheritedReceiveBuffer;
    private final Map<SocketOption<?>, Object> set = new LinkedHashMap<>();
    private SocketChannel holder;

    /** Of a channel that will connect. */
    ChannelOptions(SwitchSelectorProvider provider, SocketChannel kernel, ProtocolFamily family) {
        this.provider = provider;
        this.holder = kernel;
        this.family = family;
        this.inheritedReceiveBuffer = null;
    }

    /**
     * Of an accepted channel.
     *
     * @param receiveBuffer what the listener was given, or null
     */
    ChannelOptions(SwitchSelectorProvider provider, Integer receiveBuffer) {
        this.provider = provider;
        this.family = null;
        this.inheritedReceiveBuffer = receiveBuffer;
    }

    <T> void put(SocketOption<T> name, T value) throws IOException {
        holder().setOption(name, value);
        set.remove(name);
        set.put(name, value);
    }

    <T> T get(SocketOption<T> name) throws IOException {
        return holder().getOption(name);
    }

    Set<SocketOption<?>> names() throws IOException {
        if (holder != null) {
            return holder.supportedOptions();
        }
        try (SocketChannel any = provider.kernelChannel(family)) {
            return any.supportedOptions();
        }
    }

    private SocketChannel holder() throws IOException {
        if (holder == null) {
            SocketChannel fresh = provider.kernelChannel(family);
            holder = fresh;
            fresh.setOption(StandardSocketOptions.SO_REUSEADDR, true); // as accepted ones have it
            if (inheritedReceiveBuffer != null) {
                fresh.setOption(StandardSocketOptions.SO_RCVBUF, inheritedReceiveBuffer);
            }
        }
        return holder;
    }

    /** A channel with the same options, which does not answer for them yet. */
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

    /** From now on {@code other} answers. */
    void answeredBy(SocketChannel other) {
        holder = other;
    }

    /** Seconds that closing may take; 0 = the peer sees a reset; less = not set. */
    int lingerSeconds() {
        return set.get(StandardSocketOptions.SO_LINGER) instanceof Integer seconds ? seconds : -1;
    }

    /** The peer is to see a reset when the socket that answers is closed. */
    void resetAtClose() throws IOException {
        if (holder != null && holder.isOpen()) {
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

    /** The option has no public name. */
    static boolean isOobInline(SocketOption<?> name) {
        return name.name().equals(OOB_INLINE);
    }

    /** That option, to set it. */
    @SuppressWarnings("unchecked")
    SocketOption<Boolean> oobInlineName() throws IOException {
        for (SocketOption<?> name : names()) {
            if (isOobInline(name)) {
                return (SocketOption<Boolean>) name;
            }
        }
        throw new AssertionError("the JDK's channels have SO_OOBINLINE");
    }

    /** Closes the channel that answers, unless it is {@code kernel}, which is the caller's. */
    void close(SocketChannel kernel) throws IOException {
        if (holder != null && holder != kernel) {
            holder.close();
        }
    }
}
