package io.sdp4j.shim;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ServiceLoader;

/**
 * The JVM's selector provider as long as nobody wants a channel or a selector: then the switch is
 * started, and its provider does everything. Public, with a public constructor, because the JDK
 * makes it.
 */
public final class ChannelProvider extends SelectorProvider {
    private static final String PROPERTY = "java.nio.channels.spi.SelectorProvider";
    private static final String HOLDER = "java.nio.channels.spi.SelectorProvider$Holder";

    /** The provider that does the work; null until the first channel. */
    private static volatile SelectorProvider target;

    private static volatile boolean streamsKnowUs;

    /**
     * Becomes the JVM's provider, unless the program has named one or another agent came first
     * (NIO-1 to NIO-3). The property is unset again afterwards: child JVMs do not know this class.
     *
     * @return why not, as one sentence for people, or null
     */
    static String install(Instrumentation instrumentation) {
        String wanted = System.getProperty(PROPERTY);
        if (wanted != null) {
            return "channels are not offloaded: " + PROPERTY + " names " + wanted;
        }
        for (Class<?> c : instrumentation.getAllLoadedClasses()) {
            if (c.getName().equals(HOLDER)) {
                return "channels are not offloaded: something opened one before this agent;"
                        + " put this -javaagent first";
            }
        }
        System.setProperty(PROPERTY, ChannelProvider.class.getName());
        try {
            return SelectorProvider.provider() instanceof ChannelProvider
                    ? null
                    : "channels are not offloaded: another provider came first";
        } catch (Error e) { // the JDK's word for a provider that cannot be loaded
            return "channels are not offloaded: " + e;
        } finally {
            System.clearProperty(PROPERTY);
        }
    }

    /**
     * The switch's provider, or one that the class path brings: then this one stands in for it, as
     * looking for it in {@code premain} would open every jar.
     */
    private static SelectorProvider target() throws IOException {
        SelectorProvider t = target;
        if (t == null) {
            t = foreign();
            if (t == null) {
                t = Boot.channels();
            } else {
                Boot.say(
                        "channels are not offloaded: the class path brings "
                                + t.getClass().getName());
                streamsKnowUs = true;
            }
            target = t;
        }
        return t;
    }

    private static SelectorProvider foreign() throws IOException {
        ClassLoader system = ClassLoader.getSystemClassLoader();
        return system.getResources("META-INF/services/" + SelectorProvider.class.getName())
                        .hasMoreElements()
                ? ServiceLoader.load(SelectorProvider.class, system).findFirst().orElse(null)
                : null;
    }

    /** As {@link #target}, for a channel that {@code Channels.newInputStream} may be given. */
    private static SelectorProvider streamTarget() throws IOException {
        SelectorProvider t = target();
        if (!streamsKnowUs) {
            streamsKnowUs = true;
            Boot.teachStreams();
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
        return streamTarget().openServerSocketChannel();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        return streamTarget().openServerSocketChannel(family);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return streamTarget().openSocketChannel();
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        return streamTarget().openSocketChannel(family);
    }

    @Override
    public Channel inheritedChannel() throws IOException {
        return target().inheritedChannel();
    }
}
