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
 * Makes selectors and channels before the switch has started, so that a server listens and a client
 * connects without waiting for it. One per JVM; thread-safe.
 */
final class EarlyChannels implements Consumer<Object[]> {
    /** The JDK release that the channels were tested with. */
    private static final int JDK = 25;

    private final Function<Object[], Object> maker;
    private final EarlySockets places;

    private EarlyChannels(Function<Object[], Object> maker, EarlySockets places) {
        this.maker = maker;
        this.places = places;
    }

    /**
     * Makes the maker; null for another JDK.
     *
     * @throws IllegalStateException if this JDK does not take the classes, or the rules are not
     *     available; or a {@code LinkageError}
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
                new EarlySockets(EarlyCheck.rules(), true));
    }

    AbstractSelector selector(SelectorProvider provider) throws IOException {
        return (AbstractSelector) made("selector", provider);
    }

    /**
     * Makes a listening channel.
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
     * Makes a channel to connect.
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

    /**
     * Makes a datagram channel, which the switch does not touch.
     *
     * @param family null = the JDK's choice
     */
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
     * @param given one of: the task of a connection that has carried enough; a listener and its
     *     task; a channel for which the switch starts now, or null, and if it listens, the address
     *     and the backlog that the application asked for
     */
    @Override
    public void accept(Object[] given) {
        if (given[given.length - 1] instanceof Runnable goOn) {
            EarlyStart.add(goOn, given.length == 1);
        } else {
            SelectorProvider switched = ChannelProvider.target();
            if (given[0] != null) {
                Boot.goOn(switched, given);
            }
        }
    }
}
