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
import java.util.function.Supplier;

/**
 * A provider that is made when it is first needed. If that fails, it is not tried again.
 * Thread-safe; {@code this} guards the making.
 */
final class LazyProvider implements OffloadProvider {
    /** Makes the provider, and answers questions about it before it is made. Thread-safe. */
    interface Maker {
        /** As {@link OffloadProvider#moves}. */
        boolean moves(InetAddress remote, List<String> fabrics);

        /** As {@link OffloadProvider#listensLater}. */
        boolean listensLater(List<String> fabrics);

        /** As {@link OffloadProvider#rehearses}. */
        boolean rehearses(List<String> fabrics);

        /** Makes the provider; called once. */
        OffloadProvider make();
    }

    private final String name;
    private final Maker maker;

    private volatile OffloadProvider made;
    private Throwable failure; // guarded by this

    LazyProvider(String name, Maker maker) {
        this.name = name;
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
        // the time to make the provider, once in a JVM, does not count against the peer
        long now = System.nanoTime();
        return fresh.connect(spec.later(now - before, now));
    }

    @Override
    public boolean moves(InetAddress remote, List<String> fabrics) {
        return maker.moves(remote, fabrics);
    }

    @Override
    public boolean listensLater(List<String> fabrics) {
        return maker.listensLater(fabrics);
    }

    @Override
    public boolean rehearses(List<String> fabrics) {
        return maker.rehearses(fabrics);
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
                made = maker.make();
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
