package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.fabric.Capabilities;
import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.HostLookup;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Role;
import io.sdp4j.policy.RuleFile;
import io.sdp4j.policy.Settings;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.PathCode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a destination that no device leads to is never asked for, one that does not answer over its
 * device costs a fifth of a second once. Method: a fabric that never answers, in the place of
 * verbs.
 */
@Timeout(60)
class VerbsPathTest {
    private static final InetSocketAddress PEER = new InetSocketAddress("192.0.2.9", 7174);
    private static final long CAP = TimeUnit.MILLISECONDS.toNanos(200);

    private final EventLoop loop = EventLoop.start("test-loop", t -> {});
    private final Silent fabric = new Silent();

    /** Takes what it was asked and waits as long as it may. */
    private static final class Silent implements Fabric {
        int asked;
        InetAddress bound;
        long leftNanos;
        boolean roundTrip = true;
        FabricException.Cause answer = FabricException.Cause.TIMED_OUT;
        long readyNanos = System.nanoTime();

        @Override
        public String name() {
            return DeviceResolver.VERBS;
        }

        @Override
        public Capabilities capabilities() {
            return new Capabilities(92, false, 16, true, 1 << 20, roundTrip);
        }

        @Override
        public boolean awaitReady(long nanos) {
            long left = readyNanos - System.nanoTime();
            LockSupport.parkNanos(Math.min(left, nanos));
            return readyNanos - System.nanoTime() <= 0;
        }

        @Override
        public Connection connect(ConnectRequest request) throws FabricException {
            asked++;
            bound = request.askingOnce().localAddress().bound();
            leftNanos = request.deadlineNanos() - System.nanoTime();
            throw new FabricException(answer, "it is " + answer);
        }

        @Override
        public FabricListener listen(ListenRequest request) {
            throw new AssertionError();
        }

        @Override
        public void close() {}
    }

    private SdpOffloadProvider provider(FabricPath... paths) {
        return new SdpOffloadProvider(
                new FabricSet(Map.of(DeviceResolver.VERBS, () -> fabric)),
                (local, remote) -> List.of(paths),
                null,
                StreamSettings.of(Settings.defaults(SdpSettings.ALL)),
                null,
                loop,
                CAP,
                _ -> {});
    }

    private static ConnectSpec spec(boolean byRule) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        return new ConnectSpec(PEER, _ -> PEER, List.of(), deadline, byRule, () -> false);
    }

    private static FabricPath usable() {
        return FabricPath.usable(DeviceResolver.VERBS, "mlx5_0", 1, 4096);
    }

    @Test
    void whereNoDeviceLeadsTheFabricIsNotAsked() {
        FabricPath none =
                FabricPath.unusable(
                        DeviceResolver.VERBS, PathCode.NOT_RDMA, "eth0 is not on an RDMA device");
        OffloadUnavailable e =
                assertThrows(OffloadUnavailable.class, () -> provider(none).connect(spec(false)));
        assertEquals(ReasonCode.NOT_LOCAL, e.reason());
        assertEquals("eth0 is not on an RDMA device", e.getMessage());
        assertFalse(e.remember(), "it costs nothing to find out again");
        assertEquals(0, fabric.asked);
    }

    /** The path is that of the address, and the fabric leaves by it. */
    @Test
    void anAddressThatTheApplicationHasBoundIsTheSource() {
        InetAddress bound = InetAddress.ofLiteral("192.0.2.1");
        assertEquals(bound, sourceOf(bound));
        assertNull(sourceOf(InetAddress.ofLiteral("0.0.0.0")));
        assertNull(sourceOf(InetAddress.ofLiteral("2001:db8::1")), "it leads to no IPv4 address");
    }

    private InetAddress sourceOf(InetAddress asked) {
        InetAddress[] resolved = new InetAddress[1];
        SdpOffloadProvider provider =
                new SdpOffloadProvider(
                        new FabricSet(Map.of(DeviceResolver.VERBS, () -> fabric)),
                        (local, remote) -> {
                            resolved[0] = local;
                            return List.of(usable());
                        },
                        null,
                        StreamSettings.of(Settings.defaults(SdpSettings.ALL)),
                        null,
                        loop,
                        CAP,
                        _ -> {});
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        ConnectSpec spec =
                new ConnectSpec(
                        PEER,
                        ConnectSpec.LocalAddress.of(asked, _ -> PEER),
                        List.of(),
                        deadline,
                        false,
                        () -> false);
        assertThrows(OffloadUnavailable.class, () -> provider.connect(spec));
        assertEquals(fabric.bound, resolved[0]);
        return resolved[0];
    }

    @Test
    void everyFabricSaysWhyNot() {
        SdpOffloadProvider both =
                new SdpOffloadProvider(
                        new FabricSet(
                                new TreeMap<>(Map.of("shm", () -> fabric, "verbs", () -> fabric))),
                        (local, remote) ->
                                List.of(
                                        FabricPath.unusable("shm", PathCode.NOT_LOCAL, "far"),
                                        FabricPath.unusable("verbs", PathCode.NO_DEVICE, "none")),
                        null,
                        StreamSettings.of(Settings.defaults(SdpSettings.ALL)),
                        null,
                        loop,
                        CAP,
                        _ -> {});
        OffloadUnavailable e =
                assertThrows(OffloadUnavailable.class, () -> both.connect(spec(false)));
        assertEquals("far; none", e.getMessage());
    }

    @Test
    void aPeerIsWaitedForUpToTheCapOrAsLongAsTheRuleSays() {
        assertThrows(OffloadUnavailable.class, () -> provider(usable()).connect(spec(false)));
        assertTrue(fabric.leftNanos <= CAP, fabric.leftNanos + " ns");
        assertThrows(OffloadUnavailable.class, () -> provider(usable()).connect(spec(true)));
        assertTrue(fabric.leftNanos > 2 * CAP, fabric.leftNanos + " ns");
    }

    /** The caller's remaining time bounds it, not the time that a peer is given. */
    @Test
    void thePeersTimeBeginsWhenTheFabricIsReady() {
        long now = System.nanoTime();
        fabric.readyNanos = now + TimeUnit.MILLISECONDS.toNanos(100);
        ConnectSpec spec =
                new ConnectSpec(
                        PEER,
                        _ -> PEER,
                        List.of(),
                        now,
                        now + TimeUnit.MILLISECONDS.toNanos(50),
                        now + TimeUnit.SECONDS.toNanos(30),
                        false,
                        () -> false,
                        _ -> {},
                        -1);
        assertThrows(OffloadUnavailable.class, () -> provider(usable()).connect(spec));
        assertEquals(1, fabric.asked);
        assertTrue(fabric.leftNanos > 0, fabric.leftNanos + " ns");
    }

    @Test
    void aFabricThatIsNotReadyInTimeSaysNothingOfThePeer() {
        fabric.readyNanos = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
        long limit = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
        ConnectSpec spec = new ConnectSpec(PEER, _ -> PEER, List.of(), limit, false, () -> false);
        OffloadUnavailable e =
                assertThrows(OffloadUnavailable.class, () -> provider(usable()).connect(spec));
        assertEquals(ReasonCode.TIMED_OUT, e.reason());
        assertFalse(e.remember());
        assertEquals(0, fabric.asked);
    }

    @Test
    void aCallerThatGivesUpDoesNotWaitForTheFabric() {
        fabric.readyNanos = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
        ConnectSpec spec =
                new ConnectSpec(
                        PEER,
                        _ -> PEER,
                        List.of(),
                        System.nanoTime() + TimeUnit.HOURS.toNanos(1),
                        false,
                        () -> true);
        OffloadUnavailable e =
                assertThrows(OffloadUnavailable.class, () -> provider(usable()).connect(spec));
        assertEquals(ReasonCode.ABANDONED, e.reason());
    }

    @Test
    void aTimeThatThisSideHasUsedIsNotRemembered() {
        fabric.answer = FabricException.Cause.NOT_READY;
        OffloadUnavailable e =
                assertThrows(
                        OffloadUnavailable.class, () -> provider(usable()).connect(spec(false)));
        assertEquals(ReasonCode.TIMED_OUT, e.reason());
        assertFalse(e.remember());
    }

    @Test
    void aPeerThatDoesNotAnswerTwiceIsRemembered() throws Exception {
        Policy policy =
                RuleFile.parse("rules", "use both client * *:*\n", HostLookup.SYSTEM)
                        .policy("java");
        OffloadSwitch s =
                new OffloadSwitch(
                        () -> policy, List.of(provider(usable())), SwitchSettings.defaults());
        for (ReasonCode expected :
                List.of(ReasonCode.TIMED_OUT, ReasonCode.TIMED_OUT, ReasonCode.REMEMBERED)) {
            Attempt a =
                    s.connect(
                            s.policy().decide(Role.CONNECT, PEER),
                            PEER,
                            _ -> PEER,
                            System.nanoTime(),
                            Long.MAX_VALUE,
                            () -> false,
                            _ -> {});
            assertNull(a.stream());
            assertEquals(expected, a.reason());
        }
        assertEquals(2, fabric.asked);
    }

    /** Goal: whether a refusal is worth remembering is what the fabric says, whatever its name. */
    @Test
    void aRefusalThatCostsNothingIsNotRemembered() {
        fabric.answer = FabricException.Cause.NO_LISTENER;
        for (boolean roundTrip : new boolean[] {true, false}) {
            fabric.roundTrip = roundTrip;
            OffloadUnavailable e =
                    assertThrows(
                            OffloadUnavailable.class,
                            () -> provider(usable()).connect(spec(false)));
            assertEquals(ReasonCode.NO_PEER, e.reason());
            assertEquals(roundTrip, e.remember());
        }
    }

    @Test
    void aPeerWithoutListenerIsRememberedOnceItServesTcp() throws Exception {
        fabric.answer = FabricException.Cause.NO_LISTENER;
        Policy policy =
                RuleFile.parse("rules", "use both client * *:*\n", HostLookup.SYSTEM)
                        .policy("java");
        OffloadSwitch s =
                new OffloadSwitch(
                        () -> policy, List.of(provider(usable())), SwitchSettings.defaults());
        for (ReasonCode expected :
                List.of(ReasonCode.NO_PEER, ReasonCode.NO_PEER, ReasonCode.REMEMBERED)) {
            assertEquals(
                    expected,
                    s.connect(
                                    s.policy().decide(Role.CONNECT, PEER),
                                    PEER,
                                    _ -> PEER,
                                    System.nanoTime(),
                                    Long.MAX_VALUE,
                                    () -> false,
                                    _ -> {})
                            .reason());
            if (fabric.asked == 2) {
                s.kernelConnected(PEER, ReasonCode.NO_PEER);
            }
        }
        assertEquals(2, fabric.asked);
    }
}
