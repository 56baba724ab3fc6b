package io.sdp4j.shim;

import static java.net.StandardProtocolFamily.UNIX;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Makes selectors and channels before the switch has started: a server listens without waiting for
 * it, and a client connects. One per JVM; thread-safe.
 */
final class EarlyChannels implements Consumer<Object[]> {
    /** The release that the channel was tried with. */
    private static final int JDK = 25;

    private final Function<Object[], Object> maker;
    private final EarlySockets places;

    private EarlyChannels(Function<Object[], Object> maker, EarlySockets places) {
        this.maker = maker;
        this.places = places;
    }

    /**
     * Null for another JDK.
     *
     * @throws IllegalStateException if this JDK does not take them, or the rules are not available;
     *     or a {@code LinkageError}
     */
    @SuppressWarnings("unchecked")
    static EarlyChannels make(Instrumentation instrumentation) {
        if (Runtime.version().feature() != JDK) {
            return null;
        }
        return new EarlyChannels(
                (Function<Object[], Object>)
                        JdkDefiner.define(
                                instrumentation,
                                "sdp4j-modules/io.sdp4j.offload/sdp4j-jdk/",
                                "sun.nio.ch.SelChImpl",
                                "SecondQueue EarlyAccept ListeningChannel$Elsewhere"
                                        + " ListeningChannel Carrier ConnectionSwitch"
                                        + " ConnectionChannel$Unsendable ConnectionChannel$Plain"
                                        + " ConnectionChannel$Kernel ConnectionChannel"
                                        + " CountedKernel EarlyConnection$Rules EarlyConnection"
                                        + " EarlyListening$GoOn EarlyListening EarlyMaker"),
                new EarlySockets(Boot.rules(), true));
    }

    AbstractSelector selector(SelectorProvider provider) throws IOException {
        return (AbstractSelector) made("selector", provider);
    }

    /**
     * A channel.
     *
     * @param family null = the JDK's choice
     */
    ServerSocketChannel listener(SelectorProvider provider, ProtocolFamily family)
            throws IOException {
        if (family == UNIX) {
            return (ServerSocketChannel) made("unix-listener", provider);
        }
        return (ServerSocketChannel) counted("listener", provider, family);
    }

    /**
     * A channel of a connection.
     *
     * @param family null = the JDK's choice
     */
    SocketChannel connection(SelectorProvider provider, ProtocolFamily family) throws IOException {
        if (family == UNIX) {
            return (SocketChannel) made("unix", provider);
        }
        return (SocketChannel) counted("connection", provider, family);
    }

    private Object counted(String kind, SelectorProvider provider, ProtocolFamily family)
            throws IOException {
        return made(
                kind,
                provider,
                family,
                places,
                this,
                EarlySockets.CONNECTED,
                EarlySockets.ACCEPTED);
    }

    /** A channel that the switch has nothing to do with; {@code family} as above. */
    DatagramChannel datagrams(SelectorProvider provider, ProtocolFamily family) throws IOException {
        return (DatagramChannel) made("datagrams", provider, family);
    }

    Pipe pipe(SelectorProvider provider) throws IOException {
        return (Pipe) made("pipe", provider);
    }

    private Object made(Object... given) throws IOException {
        try {
            return maker.apply(given);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * Starts the switch, which goes on with a channel; or leaves that to {@link EarlyStart}.
     *
     * @param given a task that does so with a connection that has carried enough, or a listener and
     *     its task; or the channel, and for one that listens the address and the backlog that were
     *     asked for
     */
    @Override
    public void accept(Object[] given) {
        if (given[given.length - 1] instanceof Runnable goOn) {
            EarlyStart.add(goOn, given.length == 1);
        } else {
            Boot.goOn(ChannelProvider.target(), given);
        }
    }
}
