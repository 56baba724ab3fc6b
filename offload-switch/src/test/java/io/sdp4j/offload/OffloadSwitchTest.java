package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Decisions of the switch, without a socket. */
class OffloadSwitchTest {
    private static final InetSocketAddress REMOTE =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
    private static final Decision FIRST = Decision.of(Verdict.OFFLOAD_FIRST, "use both", "f:1");
    private static final Decision ONLY = Decision.of(Verdict.OFFLOAD_ONLY, "use sdp", "f:2");
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final List<ConnectSpec> asked = new ArrayList<>();

    /** Fails in its own way, and says what it was asked. */
    private final class Failing implements OffloadProvider {
        private final OffloadUnavailable failure;

        Failing(ReasonCode reason, boolean remember) {
            failure = new OffloadUnavailable(reason, "it is " + reason, remember, null);
        }

        @Override
        public String name() {
            return "failing";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            asked.add(spec);
            throw failure;
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            throw failure;
        }
    }

    private static OffloadSwitch of(OffloadProvider... providers) {
        return new OffloadSwitch(Policy::allowAll, List.of(providers), SwitchSettings.defaults());
    }

    private static Attempt connect(OffloadSwitch target, Decision decision, long timeoutNanos)
            throws ConnectException {
        return target.connect(
                decision,
                REMOTE,
                _ -> REMOTE,
                System.nanoTime(),
                timeoutNanos,
                () -> false,
                _ -> {});
    }

    @Test
    void rulesThatSayKernelAskNoProvider() throws ConnectException {
        OffloadSwitch target = of(new Failing(ReasonCode.NO_PEER, false));
        Attempt direct =
                connect(target, Decision.of(Verdict.DIRECT, "use direct", "f:7"), NO_LIMIT);
        assertEquals(ReasonCode.RULE_DIRECT, direct.reason());
        assertEquals("rule: use direct (f:7)", direct.detail());
        Attempt tcp = connect(target, Decision.of(Verdict.KERNEL, "use tcp", "f:8"), NO_LIMIT);
        assertEquals(ReasonCode.RULE_TCP, tcp.reason());
        assertNull(tcp.stream());
        assertTrue(asked.isEmpty());
    }

    @Test
    void everyProviderIsAskedInOrder() throws ConnectException {
        Attempt attempt =
                connect(
                        of(
                                new Failing(ReasonCode.NOT_LOCAL, false),
                                new Failing(ReasonCode.NO_PEER, false)),
                        FIRST,
                        NO_LIMIT);
        assertEquals(ReasonCode.NO_PEER, attempt.reason());
        assertEquals("it is NO_PEER", attempt.detail());
        assertEquals(2, asked.size());
    }

    /** Has room in its backlog at the second time. */
    private final class Full implements OffloadProvider {
        @Override
        public String name() {
            return "full";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            asked.add(spec);
            throw new OffloadUnavailable(
                    asked.size() == 1 ? ReasonCode.BACKLOG : ReasonCode.NO_PEER, "is full");
        }

        @Override
        public OffloadListener listen(ListenSpec spec) {
            throw new AssertionError("asked to listen");
        }
    }

    /** As in a connect of the JDK's. */
    @Test
    void aThreadThatIsInterruptedGoesOnWaitingForRoomInABacklog() {
        Thread.currentThread().interrupt();
        assertThrows(ConnectException.class, () -> connect(of(new Full()), ONLY, NO_LIMIT));
        assertTrue(Thread.interrupted());
        assertEquals(2, asked.size());
    }

    /** One that the rule does not mean says nothing of the one that it means. */
    @Test
    void theReasonIsThatOfAProviderThatTheRuleMeans() throws ConnectException {
        OffloadProvider other = new Failing(ReasonCode.NO_PROVIDER, false);
        OffloadProvider meant = new Failing(ReasonCode.NO_PEER, false);
        assertEquals(ReasonCode.NO_PEER, connect(of(other, meant), FIRST, NO_LIMIT).reason());
        assertEquals(ReasonCode.NO_PEER, connect(of(meant, other), FIRST, NO_LIMIT).reason());
    }

    @Test
    void noProviderAtAll() throws ConnectException {
        assertEquals(ReasonCode.NO_PROVIDER, connect(of(), FIRST, NO_LIMIT).reason());
    }

    @Test
    void silenceIsRememberedWhenItIsMetTwice() throws ConnectException {
        OffloadSwitch target = of(new Failing(ReasonCode.TIMED_OUT, true));
        assertEquals(ReasonCode.TIMED_OUT, connect(target, FIRST, NO_LIMIT).reason());
        assertEquals(
                ReasonCode.TIMED_OUT,
                connect(target, FIRST, NO_LIMIT).reason(),
                "a peer that was slow once is asked again");
        assertEquals(ReasonCode.REMEMBERED, connect(target, FIRST, NO_LIMIT).reason());
        assertEquals(2, asked.size());
        assertThrows(ConnectException.class, () -> connect(target, ONLY, NO_LIMIT));
        assertEquals(3, asked.size(), "a rule that allows nothing else asks again");
    }

    /** No call waits for a move, so a peer on a busy machine has longer to answer. */
    @Test
    void aMoveHasFiveSecondsMoreThanAConnect() throws ConnectException {
        OffloadSwitch target = of(new Failing(ReasonCode.PEER_REFUSED, false));
        connect(target, FIRST, NO_LIMIT);
        Attempt moved = target.connects.upgrade(FIRST, REMOTE, REMOTE, 0, () -> false, _ -> {});
        assertEquals(ReasonCode.PEER_REFUSED, moved.reason());
        assertEquals(allowed(asked.get(0)) + TimeUnit.SECONDS.toNanos(5), allowed(asked.get(1)));
    }

    private static long allowed(ConnectSpec spec) {
        return spec.deadlineNanos() - spec.askedNanos();
    }

    @Test
    void answersAreNotRemembered() throws ConnectException {
        OffloadSwitch target = of(new Failing(ReasonCode.PEER_REFUSED, false));
        connect(target, FIRST, NO_LIMIT);
        connect(target, FIRST, NO_LIMIT);
        assertEquals(2, asked.size());
    }

    /** Else those who try again until their server has started would be on TCP. */
    @Test
    void aRefusalIsRememberedOnceTheKernelIsServedThere() throws ConnectException {
        OffloadSwitch target = of(new Failing(ReasonCode.NO_PEER, true));
        connect(target, FIRST, NO_LIMIT);
        assertEquals(ReasonCode.NO_PEER, connect(target, FIRST, NO_LIMIT).reason());
        InetSocketAddress other = new InetSocketAddress(REMOTE.getAddress(), 4712);
        target.kernelConnected(other, ReasonCode.NO_PEER);
        target.kernelConnected(REMOTE, ReasonCode.RULE_TCP);
        assertEquals(ReasonCode.NO_PEER, connect(target, FIRST, NO_LIMIT).reason());
        target.kernelConnected(REMOTE, ReasonCode.NO_PEER);
        assertEquals(ReasonCode.REMEMBERED, connect(target, FIRST, NO_LIMIT).reason());
        assertEquals(3, asked.size());
        assertEquals(2, target.report().reasons().get(ReasonCode.NO_PEER));
    }

    @Test
    void aRefusalThatCostsNothingIsNotRemembered() throws ConnectException {
        OffloadSwitch target = of(new Failing(ReasonCode.NO_PEER, false));
        connect(target, FIRST, NO_LIMIT);
        target.kernelConnected(REMOTE, ReasonCode.NO_PEER);
        assertEquals(ReasonCode.NO_PEER, connect(target, FIRST, NO_LIMIT).reason());
    }

    @Test
    void offloadOnlyFails() {
        OffloadSwitch target = of(new Failing(ReasonCode.NO_PEER, false));
        ConnectException e =
                assertThrows(ConnectException.class, () -> connect(target, ONLY, NO_LIMIT));
        assertEquals("Connection refused (it is NO_PEER; rule: use sdp)", e.getMessage());
        assertInstanceOf(OffloadUnavailable.class, e.getCause());
        SocketException l =
                assertThrows(
                        SocketException.class,
                        () -> target.listen(ONLY, REMOTE, false, 1, () -> {}));
        assertTrue(l.getMessage().contains("it is NO_PEER"), l.getMessage());
        assertEquals(2, target.report().refused());
    }

    @Test
    void aListenerWithoutProvidersIsTheKernels() throws SocketException {
        try (OffloadListeners listening =
                of(new Failing(ReasonCode.UNAVAILABLE, false))
                        .listen(FIRST, REMOTE, false, 1, () -> {})) {
            assertFalse(listening.offloads());
            assertEquals(ReasonCode.UNAVAILABLE, listening.why().reason());
            assertNull(listening.poll());
        }
    }

    /** Behaviour 3: the rule's time, but never more than half of a caller who has a fallback. */
    @Test
    void timeIsShared() throws ConnectException {
        OffloadSwitch target = of(new Failing(ReasonCode.NO_PEER, false));
        connect(target, FIRST, NO_LIMIT);
        assertBudget(200, asked.getLast());
        assertEquals(5000, startMillis(asked.getLast()));
        connect(target, FIRST, TimeUnit.SECONDS.toNanos(60));
        assertBudget(200, asked.getLast());
        assertEquals(5000, startMillis(asked.getLast()));
        connect(target, FIRST, TimeUnit.MILLISECONDS.toNanos(100));
        assertBudget(50, asked.getLast());
        assertEquals(0, startMillis(asked.getLast()));
        Decision patient =
                new Decision(
                        Verdict.OFFLOAD_FIRST,
                        List.of("shm"),
                        TimeUnit.SECONDS.toNanos(3),
                        "use both",
                        "f:1");
        connect(target, patient, NO_LIMIT);
        assertBudget(3000, asked.getLast());
        assertEquals(List.of("shm"), asked.getLast().fabrics());
        assertThrows(
                ConnectException.class,
                () -> connect(target, ONLY, TimeUnit.MILLISECONDS.toNanos(100)));
        assertBudget(100, asked.getLast());
    }

    private static void assertBudget(long millis, ConnectSpec spec) {
        assertEquals(millis, TimeUnit.NANOSECONDS.toMillis(allowed(spec)));
    }

    /** Time that a provider may take for its own start beyond the deadline. */
    private static long startMillis(ConnectSpec spec) {
        return TimeUnit.NANOSECONDS.toMillis(spec.limitNanos() - spec.deadlineNanos());
    }

    /** Goal: a provider with a fault costs its own connections nothing but the offload. */
    @Test
    void aFaultyProvider() throws ConnectException {
        OffloadProvider faulty =
                new OffloadProvider() {
                    @Override
                    public String name() {
                        return "faulty";
                    }

                    @Override
                    public OffloadStream connect(ConnectSpec spec) {
                        throw new IllegalStateException("bug");
                    }

                    @Override
                    public OffloadListener listen(ListenSpec spec) {
                        throw new IllegalStateException("bug");
                    }
                };
        Attempt attempt = connect(of(faulty), FIRST, NO_LIMIT);
        assertEquals(ReasonCode.INTERNAL, attempt.reason());
        assertTrue(attempt.detail().contains("bug"), attempt.detail());
    }

    @Test
    void countsByKind() {
        OffloadSwitch target = of();
        target.counters().kernelConnected(ReasonCode.RULE_TCP);
        target.counters().kernelConnected(ReasonCode.PROXY);
        target.counters().kernelConnected(ReasonCode.TIMED_OUT);
        target.counters().kernelAccepted(ReasonCode.ACCEPTED_TCP);
        SwitchReport report = target.report();
        assertEquals(2, report.kernelPolicy());
        assertEquals(1, report.kernelFallback());
        assertEquals(1, report.acceptedKernel());
        assertEquals(
                Map.of(
                        ReasonCode.RULE_TCP,
                        1L,
                        ReasonCode.PROXY,
                        1L,
                        ReasonCode.TIMED_OUT,
                        1L,
                        ReasonCode.ACCEPTED_TCP,
                        1L),
                report.reasons());
    }
}
