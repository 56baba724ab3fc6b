package io.sdp4j.shim;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.function.Supplier;

/**
 * The JVM's selector provider. Until a channel needs the switch, selectors and channels are made
 * without it; then the switch's provider makes all of them. Public, with a public constructor,
 * because the JDK makes it.
 */
public final class ChannelProvider extends SelectorProvider {
    private static final ProviderSlot<SelectorProvider> SLOT =
            new ProviderSlot<>(SelectorProvider.class, "channels");

    /** The provider that does the work; null until one is needed. */
    private static volatile SelectorProvider target;

    /**
     * Holds the provider that the class path brings, if there is one; calls are then passed on to
     * it.
     */
    private static final class Brought {
        /** Looked up late, as that opens every jar; null if there is none. */
        static final SelectorProvider FOUND = SLOT.provided();

        private Brought() {}
    }

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

    /** Returns the switch's provider, or the one that the class path brings. */
    static SelectorProvider target() {
        SelectorProvider t = target;
        if (t == null) {
            t = Brought.FOUND;
            if (t == null && Boot.ofHosts()) {
                return (SelectorProvider) Grants.given.ask(Grants.Deed.JDK_CHANNELS);
            }
            Console.printSaid(); // not while it is looked up: other channels wait for that
            if (t == null) {
                t = Boot.channels();
                if (!Boot.settled()) {
                    return t; // the start itself needs it: nothing is decided yet
                }
            }
            target = t;
        }
        return t;
    }

    /** Returns the maker of channels that do not need the switch yet; null if there is none. */
    private static EarlyChannels early() {
        return target == null && Brought.FOUND == null && !Boot.ofHosts()
                ? Boot.earlyChannels()
                : null;
    }

    /**
     * Returns the maker of listeners that do not need the switch yet; null if there is none, or the
     * rules have come to forbid TCP, which an early listener accepts.
     */
    private static EarlyChannels earlyForListener() {
        // asked last: the thread that looks up the hosts of the rules must not wait for the rules
        EarlyChannels early = EarlySockets.atOnce() ? null : early();
        return early != null && EarlyCheck.mayForbidTcp() ? null : early;
    }

    /**
     * Returns the early maker, or the one of channels that refuse. Null if the switch makes
     * connections, or the JDK does and no rule forbids that.
     */
    private static EarlyChannels earlyOrRefusing() throws IOException {
        EarlyChannels early = early();
        if (early == null && target() != Brought.FOUND && Boot.refuses()) {
            return EarlyMakers.refusing();
        }
        return early;
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        EarlyChannels early = early();
        return early != null ? early.datagrams(this, null) : target().openDatagramChannel();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        EarlyChannels early = family instanceof StandardProtocolFamily ? early() : null;
        return early != null ? early.datagrams(this, family) : target().openDatagramChannel(family);
    }

    @Override
    public Pipe openPipe() throws IOException {
        EarlyChannels early = early();
        return early != null ? early.pipe(this) : target().openPipe();
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        EarlyChannels early = early();
        return early != null ? early.selector(this) : target().openSelector();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        EarlyChannels early = earlyForListener();
        return early != null ? early.listener(this, null) : target().openServerSocketChannel();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        EarlyChannels early = family instanceof StandardProtocolFamily ? earlyForListener() : null;
        return early != null
                ? early.listener(this, family)
                : target().openServerSocketChannel(family);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        EarlyChannels early = earlyOrRefusing();
        return early != null ? early.connection(this, null) : target().openSocketChannel();
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        EarlyChannels early = null;
        if (family instanceof StandardProtocolFamily) { // no rule speaks of UNIX-domain ones
            early = family == StandardProtocolFamily.UNIX ? early() : earlyOrRefusing();
        }
        return early != null ? early.connection(this, family) : target().openSocketChannel(family);
    }

    @Override
    public Channel inheritedChannel() throws IOException {
        return target().inheritedChannel();
    }
}
