package io.sdp4j.shim;

import java.io.IOException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The JVM's provider of asynchronous channels. Passes calls on to the switch's provider, and starts
 * the switch when the first channel or group is opened.
 */
public final class AsyncProvider extends AsynchronousChannelProvider {
    private static final ProviderSlot<AsynchronousChannelProvider> SLOT =
            new ProviderSlot<>(AsynchronousChannelProvider.class, "asynchronous channels");

    /** The switch's, the one that the application brings, or the JDK's where there is neither. */
    private final AtomicReference<AsynchronousChannelProvider> settled = new AtomicReference<>();

    private volatile boolean brought; // by the application; set before settled

    /** For the JDK, which makes the only one. */
    public AsyncProvider() {}

    /** Makes this class the JVM's provider. Returns why that failed, or null. */
    static String install() {
        return SLOT.take(AsyncProvider.class, new Fill());
    }

    private static final class Fill implements Supplier<AsynchronousChannelProvider> {
        @Override
        public AsynchronousChannelProvider get() {
            return AsynchronousChannelProvider.provider();
        }
    }

    private AsynchronousChannelProvider target() {
        AsynchronousChannelProvider known = settled.get();
        if (known != null) {
            return known;
        }
        AsynchronousChannelProvider found = SLOT.provided();
        if (found == null && Boot.ofHosts()) {
            return jdk();
        }
        try {
            if (found != null) {
                brought = true;
                Console.printSaid();
            } else {
                found = (AsynchronousChannelProvider) Boot.ofAgent("asynchronousChannels");
            }
        } catch (IllegalStateException e) {
            Console.say("asynchronous channels are not offloaded: " + e.getMessage());
            found = jdk();
        }
        if (found == null) {
            found = jdk();
            if (!Boot.settled()) {
                return found; // for the start itself
            }
        }
        return settled.compareAndSet(null, found) ? found : settled.get();
    }

    /** Returns what {@code AsynchronousChannelProvider.provider()} gives without a property. */
    private static AsynchronousChannelProvider jdk() {
        return (AsynchronousChannelProvider)
                Grants.given.ask(Grants.Deed.JDK_ASYNCHRONOUS_CHANNELS);
    }

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(int threads, ThreadFactory factory)
            throws IOException {
        return target().openAsynchronousChannelGroup(threads, factory);
    }

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(
            ExecutorService executor, int initialSize) throws IOException {
        return target().openAsynchronousChannelGroup(executor, initialSize);
    }

    @Override
    public AsynchronousServerSocketChannel openAsynchronousServerSocketChannel(
            AsynchronousChannelGroup group) throws IOException {
        return target().openAsynchronousServerSocketChannel(group);
    }

    @Override
    public AsynchronousSocketChannel openAsynchronousSocketChannel(AsynchronousChannelGroup group)
            throws IOException {
        AsynchronousChannelProvider target = target();
        if (!brought && Boot.refuses()) {
            throw EarlyMakers.refused();
        }
        return target.openAsynchronousSocketChannel(group);
    }
}
