package io.sdp4j.shim;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.function.Supplier;

/**
 * The JVM's selector provider until the first channel or selector is made: then the switch is
 * started, and its provider does everything. Public, with a public constructor, because the JDK
 * makes it.
 */
public final class ChannelProvider extends SelectorProvider {
    private static final ProviderSlot<SelectorProvider> SLOT =
            new ProviderSlot<>(SelectorProvider.class, "channels");

    /** The provider that does the work; null until the first channel. */
    private static volatile SelectorProvider target;

    /**
     * Becomes the JVM's provider, unless the program has named one or another agent came first
     * (behaviours 66 to 68). The property is unset again afterwards: child JVMs do not know this
     * class.
     *
     * @return why not, as one sentence for people, or null
     */
    static String install() {
        return SLOT.take(ChannelProvider.class, new Fill());
    }

    private static final class Fill implements Supplier<SelectorProvider> {
        @Override
        public SelectorProvider get() {
            return SelectorProvider.provider();
        }
    }

    /**
     * The switch's provider, or one that the class path brings: then this one stands in for it, as
     * looking for it in {@code premain} would open every jar.
     */
    private static SelectorProvider target() {
        SelectorProvider t = target;
        if (t == null) {
            t = SLOT.provided();
            if (t == null) {
                t = Boot.channels();
            }
            target = t;
        }
        return t;
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return target().openDatagramChannel();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return target().openDatagramChannel(family);
    }

    @Override
    public Pipe openPipe() throws IOException {
        return target().openPipe();
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        return target().openSelector();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return target().openServerSocketChannel();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        return target().openServerSocketChannel(family);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return target().openSocketChannel();
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        return target().openSocketChannel(family);
    }

    @Override
    public Channel inheritedChannel() throws IOException {
        return target().inheritedChannel();
    }
}
