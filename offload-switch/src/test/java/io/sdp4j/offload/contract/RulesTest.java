package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.HostLookup;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.RuleFile;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules other than "both", at sockets: offload only, by port, after a bind. */
class RulesTest {
    private static final InetSocketAddress ANY_PORT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static final Set<ReasonCode> IN_TURN =
            Set.of(ReasonCode.OFFLOADED, ReasonCode.ACCEPTED_TCP);

    private static OffloadSwitch of(Policy policy, OffloadProvider... providers) {
        return new OffloadSwitch(() -> policy, List.of(providers), SwitchSettings.defaults());
    }

    private static Policy only() {
        return Policy.everything(Decision.of(Verdict.OFFLOAD_ONLY, "use sdp", "test:1"));
    }

    @Test
    void connectsOrFails() throws IOException {
        OffloadSwitch owner = of(only(), new LoopbackProvider());
        try (ServerSocket kernelOnly = new ServerSocket(0);
                Socket s = SwitchedSockets.socket(owner)) {
            ConnectException e =
                    assertThrows(
                            ConnectException.class,
                            () -> s.connect(kernelOnly.getLocalSocketAddress()));
            assertTrue(e.getMessage().startsWith("Connection refused ("), e.getMessage());
            assertTrue(s.isClosed());
        }
    }

    /** Goal: TCP clients are turned away, offloaded ones get in. */
    @Test
    void listensForOffloadOnly() throws Exception {
        OffloadSwitch owner = of(only(), new LoopbackProvider());
        try (ServerSocket listener = SwitchedSockets.serverSocket(owner);
                Socket tcp = new Socket();
                Socket ours = SwitchedSockets.socket(owner)) {
            listener.bind(ANY_PORT);
            Task<Socket> acceptor = Task.start(listener::accept);
            tcp.connect(listener.getLocalSocketAddress());
            Expect.thrown(SocketException.class, "Connection reset", tcp.getInputStream()::read);
            assertEquals(1, owner.report().refused());
            ours.connect(listener.getLocalSocketAddress());
            try (Socket s = acceptor.get()) {
                assertEquals(ours.getLocalPort(), s.getPort());
            }
        }
    }

    @Test
    void doesNotListenWithoutAProvider() throws IOException {
        try (ServerSocket listener = SwitchedSockets.serverSocket(of(only()))) {
            SocketException e = assertThrows(SocketException.class, () -> listener.bind(ANY_PORT));
            assertTrue(e.getMessage().contains("use sdp"), e.getMessage());
        }
    }

    /** Goal: rules by port decide each connection by itself. */
    @Test
    void rulesByPort() throws IOException {
        LoopbackProvider provider = new LoopbackProvider();
        try (ServerSocket a = SwitchedSockets.serverSocket(of(Policy.allowAll(), provider));
                ServerSocket b = SwitchedSockets.serverSocket(of(Policy.allowAll(), provider))) {
            a.bind(ANY_PORT);
            b.bind(ANY_PORT);
            String rules = "use tcp client * *:" + a.getLocalPort() + "\nuse both client * *:*\n";
            RuleFile file = RuleFile.parse("rules", rules, HostLookup.SYSTEM);
            assertEquals(List.of(), file.errors());
            OffloadSwitch owner = of(file.policy("any"), provider);
            try (Socket toA = SwitchedSockets.socket(owner);
                    Socket toB = SwitchedSockets.socket(owner)) {
                toA.connect(a.getLocalSocketAddress());
                toB.connect(b.getLocalSocketAddress());
                assertEquals(
                        ReasonCode.RULE_TCP, SwitchedSockets.explain(toA).orElseThrow().reason());
                assertEquals(
                        ReasonCode.OFFLOADED, SwitchedSockets.explain(toB).orElseThrow().reason());
            }
        }
    }

    /**
     * Goal: in the JDK's dialect only the bind decides for a socket that was bound before it
     * connects, in libsdp's the connect rule does all the same.
     */
    @ParameterizedTest
    @CsvSource({
        "connect 127.0.0.1 1-*, OFFLOADED, RULE_TCP",
        "bind 127.0.0.1 *, RULE_TCP, OFFLOADED",
        "use both connect * *:*, OFFLOADED, OFFLOADED"
    })
    void connectAfterBind(String rule, ReasonCode unbound, ReasonCode bound) throws IOException {
        LoopbackProvider provider = new LoopbackProvider();
        RuleFile file = RuleFile.parse("rules", rule + "\n", HostLookup.SYSTEM);
        assertEquals(List.of(), file.errors());
        OffloadSwitch owner = of(file.policy("any"), provider);
        try (ServerSocket listener = SwitchedSockets.serverSocket(of(Policy.allowAll(), provider));
                Socket plain = SwitchedSockets.socket(owner);
                Socket boundFirst = SwitchedSockets.socket(owner)) {
            listener.bind(ANY_PORT);
            plain.connect(listener.getLocalSocketAddress());
            assertEquals(unbound, SwitchedSockets.explain(plain).orElseThrow().reason());
            boundFirst.bind(ANY_PORT);
            boundFirst.connect(listener.getLocalSocketAddress());
            assertEquals(bound, SwitchedSockets.explain(boundFirst).orElseThrow().reason());
        }
    }

    /** Goal: a full backlog sends the client to TCP, and neither queue waits for the other. */
    @Test
    @DisplayName("28, 29: a full backlog, and two queues that are served in turn")
    void fullBacklog() throws IOException {
        OffloadSwitch owner = of(Policy.allowAll(), new LoopbackProvider());
        List<Socket> clients = new ArrayList<>();
        try (ServerSocket listener = SwitchedSockets.serverSocket(owner)) {
            listener.bind(ANY_PORT, 2);
            for (int i = 0; i < 4; i++) {
                Socket c = SwitchedSockets.socket(owner);
                c.connect(listener.getLocalSocketAddress());
                clients.add(c);
            }
            assertEquals(2, owner.report().kernelFallback());
            assertEquals(2L, owner.report().offloaded().get("loop"));
            List<ReasonCode> served = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                try (Socket s = listener.accept()) {
                    served.add(SwitchedSockets.explain(s).orElseThrow().reason());
                }
            }
            assertEquals(IN_TURN, Set.copyOf(served.subList(0, 2)), served::toString);
            assertEquals(IN_TURN, Set.copyOf(served.subList(2, 4)), served::toString);
        } finally {
            for (Socket c : clients) {
                c.close();
            }
        }
    }

    /** Has a full backlog for a while; notes how it was asked. */
    private static final class Full implements OffloadProvider {
        private static final int TIMES = 5;

        private final OffloadProvider provider;
        private final List<ConnectSpec> asked = new ArrayList<>();

        Full(OffloadProvider provider) {
            this.provider = provider;
        }

        @Override
        public String name() {
            return "full";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            asked.add(spec);
            if (asked.size() < TIMES) {
                throw new OffloadUnavailable(ReasonCode.BACKLOG, "the backlog is full");
            }
            return provider.connect(spec);
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            return provider.listen(spec);
        }
    }

    /** Goal: it waits there for its own time, not for that of an attempt, each of which is anew. */
    @Test
    void fullBacklogForLongerThanAnAttempt() throws Exception {
        Full full = new Full(new LoopbackProvider());
        OffloadSwitch owner =
                new OffloadSwitch(RulesTest::only, List.of(full), new SwitchSettings(1, 0));
        try (ServerSocket listener = SwitchedSockets.serverSocket(owner);
                Socket client = SwitchedSockets.socket(owner)) {
            listener.bind(ANY_PORT, 1);
            client.connect(listener.getLocalSocketAddress(), 60_000);
        }
        assertEquals(Full.TIMES, full.asked.size());
        ConnectSpec before = null;
        for (ConnectSpec spec : full.asked) {
            assertTrue(spec.deadlineNanos() - spec.askedNanos() > 0);
            assertTrue(spec.limitNanos() - spec.deadlineNanos() >= 0);
            assertTrue(before == null || spec.askedNanos() - before.deadlineNanos() > 0);
            before = spec;
        }
    }

    /** Goal: a client that must not use TCP waits at a full backlog, as with the kernel's. */
    @Test
    @Timeout(30)
    void fullBacklogWithoutTcp() throws Exception {
        OffloadSwitch owner = of(only(), new LoopbackProvider());
        try (ServerSocket listener = SwitchedSockets.serverSocket(owner);
                Socket first = SwitchedSockets.socket(owner);
                Socket second = SwitchedSockets.socket(owner);
                Socket impatient = SwitchedSockets.socket(owner)) {
            listener.bind(ANY_PORT, 1);
            first.connect(listener.getLocalSocketAddress());
            assertThrows(
                    ConnectException.class,
                    () -> impatient.connect(listener.getLocalSocketAddress(), 50));
            FutureTask<Void> waits =
                    new FutureTask<>(
                            () -> {
                                second.connect(listener.getLocalSocketAddress());
                                return null;
                            });
            Thread.ofPlatform().daemon().start(waits);
            assertThrows(TimeoutException.class, () -> waits.get(50, TimeUnit.MILLISECONDS));
            listener.accept().close();
            waits.get();
            listener.accept().close();
        }
    }
}
