package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.function.BiFunction;

/** Steps of tests of channels over a {@link TestFabric}; every wait here ends. */
final class TestChannels {
    /** A selection that finds nothing within this time has lost a wake-up. */
    static final long PATIENCE_MS = 20_000;

    private TestChannels() {}

    /** A switch that offloads everything, to one provider. */
    static OffloadSwitch owner(OffloadProvider offload) {
        return new OffloadSwitch(Policy::allowAll, List.of(offload), Patience.SETTINGS);
    }

    /** A switch whose connections begin on TCP, and want to move with their first byte. */
    static OffloadSwitch moving(OffloadProvider offload) {
        return new OffloadSwitch(
                Policy::allowAll,
                List.of(new MovingProvider(offload)),
                Patience.SETTINGS.withUpgrade(UpgradePolicy.afterBytes(1)));
    }

    static SelectorProvider provider(OffloadProvider offload) {
        return SwitchChannels.provider(owner(offload));
    }

    static ServerSocketChannel listen(SelectorProvider provider) throws IOException {
        return provider.openServerSocketChannel()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** {@code real}, except that each result is what {@code afterCall} makes of it. */
    static <T> T around(Class<T> type, T real, BiFunction<String, Object, Object> afterCall) {
        return Shims.proxy(
                type,
                (_, method, args) ->
                        afterCall.apply(method.getName(), Shims.invoke(method, real, args)));
    }

    /** Waits once, which may be for nothing but not in vain; how many keys it found. */
    static int look(Selector selector, String where) throws IOException {
        long start = System.nanoTime();
        int found = selector.select(PATIENCE_MS);
        long tookMs = (System.nanoTime() - start) / 1_000_000;
        assertTrue(found > 0 || tookMs < PATIENCE_MS, () -> "a wake-up is lost, " + where);
        return found;
    }

    /** Nothing is under way: a few looks at most come back before their time. */
    static void becomesIdle(Selector selector) throws IOException {
        int early = 0;
        for (int late = 0; late < 2; ) {
            long start = System.nanoTime();
            assertEquals(0, selector.select(50));
            if (System.nanoTime() - start >= 40_000_000) {
                late++;
            } else {
                assertTrue(++early < 20, "it does not wait");
            }
        }
    }
}
