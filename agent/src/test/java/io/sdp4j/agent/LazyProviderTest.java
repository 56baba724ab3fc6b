package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A provider is made when it is needed, once, and stands for everything from then on. */
class LazyProviderTest {
    private static final InetAddress REMOTE = InetAddress.getLoopbackAddress();

    private final AtomicInteger made = new AtomicInteger();

    /** Answers what can be told apart from the defaults. */
    private static final class Real implements OffloadProvider {
        @Override
        public String name() {
            return "real";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            throw new OffloadUnavailable(ReasonCode.NO_PEER, "asked");
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            throw new OffloadUnavailable(ReasonCode.NO_PEER, "asked");
        }

        @Override
        public int choosePort(List<String> fabrics, Supplier<InetSocketAddress> free) {
            return 4711;
        }
    }

    private LazyProvider lazy(Supplier<OffloadProvider> maker) {
        return new LazyProvider(
                "real",
                new LazyProvider.Maker() {
                    @Override
                    public boolean moves(InetAddress remote, List<String> fabrics) {
                        return fabrics.isEmpty();
                    }

                    @Override
                    public boolean listensLater(List<String> fabrics) {
                        return fabrics.isEmpty();
                    }

                    @Override
                    public boolean rehearses(List<String> fabrics) {
                        return true;
                    }

                    @Override
                    public OffloadProvider make() {
                        made.incrementAndGet();
                        return maker.get();
                    }
                });
    }

    /** Goal: a method with a default is not forgotten here. */
    @Test
    void everythingIsPassedOn() {
        for (Method method : OffloadProvider.class.getMethods()) {
            assertTrue(
                    List.of(LazyProvider.class.getDeclaredMethods()).stream()
                            .anyMatch(
                                    own ->
                                            own.getName().equals(method.getName())
                                                    && !own.isBridge()),
                    method.toString());
        }
    }

    @Test
    void portsAreTheProvidersToChoose() {
        LazyProvider provider = lazy(Real::new);
        assertEquals(4711, provider.choosePort(List.of(), () -> null));
        assertEquals(1, made.get());
    }

    @Test
    void oneThatCannotStartChoosesNoPort() {
        LazyProvider provider =
                lazy(
                        () -> {
                            throw new IllegalStateException("no memory");
                        });
        assertEquals(0, provider.choosePort(List.of(), () -> null));
        OffloadUnavailable failure =
                assertThrows(OffloadUnavailable.class, () -> provider.listen(null));
        assertEquals(ReasonCode.UNAVAILABLE, failure.reason());
        assertEquals(1, made.get());
    }

    @Test
    void whatMovesIsKnownWithoutIt() {
        LazyProvider provider = lazy(Real::new);
        assertEquals(true, provider.moves(REMOTE, List.of()));
        assertEquals(false, provider.moves(REMOTE, List.of("verbs")));
        assertEquals(true, provider.listensLater(List.of()));
        assertEquals(false, provider.listensLater(List.of("verbs")));
        assertEquals(0, made.get());
    }
}
