package io.sdp4j.agent;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A provider that is made when it is asked for the first time. One that cannot be made is not tried
 * again. Thread-safe; {@code this} guards the making.
 */
final class LazyProvider implements OffloadProvider {
    private final String name;
    private final BiPredicate<InetAddress, List<String>> moves;
    private final Predicate<List<String>> listensLater;
    private final Supplier<OffloadProvider> maker;

    private volatile OffloadProvider made;
    private Throwable failure; // guarded by this

    /**
     * @param moves see {@link OffloadProvider#moves}; asked without making the provider
     * @param listensLater see {@link OffloadProvider#listensLater}; likewise
     */
    LazyProvider(
            String name,
            BiPredicate<InetAddress, List<String>> moves,
            Predicate<List<String>> listensLater,
            Supplier<OffloadProvider> maker) {
        this.name = name;
        this.moves = moves;
        this.listensLater = listensLater;
        this.maker = maker;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
        OffloadProvider known = made;
        if (known != null) {
            return known.connect(spec);
        }
        long before = System.nanoTime();
        OffloadProvider fresh = make();
        // what it took to make the provider, once in a JVM, is not the peer's fault
        long now = System.nanoTime();
        return fresh.connect(spec.later(now - before, now));
    }

    @Override
    public boolean moves(InetAddress remote, List<String> fabrics) {
        return moves.test(remote, fabrics);
    }

    @Override
    public boolean listensLater(List<String> fabrics) {
        return listensLater.test(fabrics);
    }

    @Override
    public int choosePort(List<String> fabrics, Supplier<InetSocketAddress> free) {
        try {
            return provider().choosePort(fabrics, free);
        } catch (OffloadUnavailable e) {
            return 0; // listen says why
        }
    }

    @Override
    public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
        return provider().listen(spec);
    }

    private OffloadProvider provider() throws OffloadUnavailable {
        OffloadProvider known = made;
        return known != null ? known : make();
    }

    private synchronized OffloadProvider make() throws OffloadUnavailable {
        if (made == null && failure == null) {
            try {
                made = maker.get();
            } catch (RuntimeException | LinkageError e) {
                failure = e;
            }
        }
        if (made == null) {
            throw new OffloadUnavailable(
                    ReasonCode.UNAVAILABLE,
                    "the provider " + name + " cannot start: " + failure,
                    false,
                    failure);
        }
        return made;
    }
}
