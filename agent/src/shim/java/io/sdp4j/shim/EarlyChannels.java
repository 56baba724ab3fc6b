package io.sdp4j.shim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.net.ProtocolFamily;
import java.net.URISyntaxException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Makes selectors and listening channels before the switch has started: a server listens without
 * waiting for it. One per JVM; thread-safe.
 */
final class EarlyChannels implements Consumer<Object[]> {
    /** The release that the channel was tried with. */
    private static final int JDK = 25;

    private final Function<Object[], Object> maker;

    private EarlyChannels(Function<Object[], Object> maker) {
        this.maker = maker;
    }

    /** Null if this JDK does not take them, or a rule may forbid TCP. */
    @SuppressWarnings("unchecked")
    static EarlyChannels make(Instrumentation instrumentation) {
        try {
            if (Runtime.version().feature() != JDK || Boot.mayForbidTcp()) {
                return null;
            }
            return new EarlyChannels(
                    (Function<Object[], Object>)
                            JdkDefiner.define(
                                    instrumentation,
                                    "sdp4j-modules/io.sdp4j.offload/sdp4j-jdk/",
                                    Class.forName("sun.nio.ch.SelChImpl", false, null),
                                    "SecondQueue",
                                    "ListeningChannel$Elsewhere",
                                    "ListeningChannel$Start",
                                    "ListeningChannel",
                                    "EarlyMaker"));
        } catch (IOException
                | URISyntaxException
                | ReflectiveOperationException
                | RuntimeException
                | LinkageError e) {
            return null; // the switch starts at the first channel instead
        }
    }

    AbstractSelector selector(SelectorProvider provider) throws IOException {
        return (AbstractSelector) made(provider);
    }

    /**
     * A channel.
     *
     * @param family null = the JDK's choice
     */
    ServerSocketChannel listener(SelectorProvider provider, ProtocolFamily family)
            throws IOException {
        return (ServerSocketChannel) made(provider, family, this);
    }

    private Object made(Object... given) throws IOException {
        try {
            return maker.apply(given);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * Starts the switch, for a channel that listens.
     *
     * @param listening the channel, the address and the backlog that were asked for
     */
    @Override
    public void accept(Object[] listening) {
        Boot.listens(ChannelProvider.target(), listening);
    }
}
