package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.testing.HeldAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: the place where a suspended session is to be resumed takes the peer and no other, and is
 * gone when it is not needed any more; without the peer the session is lost, in time. Method: a
 * peer made by hand, which comes early, late, from elsewhere or not at all.
 */
@Timeout(60)
final class MigrationListenerTest {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);

    private TestFabric fabric;
    private final AtomicReference<Fabric> raw = new AtomicReference<>();
    private HandMadePeer peer;
    private InetSocketAddress address;
    private InetSocketAddress own;
    private SdpStream stream;
    private Set<Path> listeners;

    @BeforeEach
    void open() throws Exception {
        fabric = new TestFabric().suspending();
    }

    @AfterEach
    void shut() throws IOException {
        peer.close();
        fabric.close();
    }

    private void connect(long resumeNanos) throws Exception {
        fabric.resumingWithin(resumeNanos);
        var provider =
                fabric.provider(
                        f -> {
                            raw.set(f);
                            return f;
                        });
        peer = new HandMadePeer(raw.get());
        address = peer.listen(peer.port());
        own = peer.port();
        stream =
                (SdpStream)
                        provider.connect(
                                new ConnectSpec(
                                        address,
                                        _ -> own,
                                        List.of(),
                                        System.nanoTime() + TimeUnit.SECONDS.toNanos(10),
                                        false,
                                        () -> false));
        peer.accept();
        listeners = fabric.listeners();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(2));
    }

    /** Where the stream waits for the peer. */
    private InetSocketAddress place() {
        synchronized (stream.life().core) {
            return new InetSocketAddress(own.getAddress(), stream.life().migration.port());
        }
    }

    private Established follow(InetSocketAddress from) throws OffloadUnavailable {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        return ActiveOpen.connect(
                raw.get(),
                fabric.context(),
                new ConnectSpec(place(), _ -> from, List.of(), deadline, true, () -> false));
    }

    private void answer() {
        soon().until(peer::suspended);
        soon().until(stream.life()::suspended);
    }

    /** Unless this thread was too slow. */
    private void answerInTime() {
        soon().until(() -> peer.suspended() || StreamPair.ask(stream, c -> c.end.reset()));
    }

    private void goOn(Established open) throws IOException {
        peer.take(open);
        soon().until(
                        () ->
                                !stream.life().suspended()
                                        && StreamPair.ask(stream, c -> c.suspension.ever()));
        peer.send("new".getBytes(StandardCharsets.ISO_8859_1), false);
        assertEquals("oldnew", read(6));
        StreamPair.writeFully(stream, "ok".getBytes(StandardCharsets.ISO_8859_1));
        soon().untilAsserted(() -> assertEquals(2, peer.received().length));
        soon().until(() -> fabric.listeners().equals(listeners));
        stream.close(true);
    }

    private String read(int len) throws IOException {
        return new String(StreamPair.readFully(stream, len), StandardCharsets.ISO_8859_1);
    }

    private void say(String s) {
        peer.send(s.getBytes(StandardCharsets.ISO_8859_1), false);
    }

    @Test
    void takesThePeerAlone() throws Exception {
        connect(LONG_NANOS);
        say("old");
        assertTrue(stream.migrate());
        answer();
        InetSocketAddress stranger = HeldAddress.on(own.getAddress());
        OffloadUnavailable e = assertThrows(OffloadUnavailable.class, () -> follow(stranger));
        assertEquals(ReasonCode.PEER_REFUSED, e.reason());
        goOn(follow(address));
    }

    /** It is there before it has said that it comes. */
    @Test
    void takesOneWhoIsEarly() throws Exception {
        connect(LONG_NANOS);
        say("old");
        assertTrue(stream.migrate());
        Established open = follow(address);
        assertThrows(OffloadUnavailable.class, () -> follow(address), "one is enough");
        assertFalse(stream.life().suspended());
        answerEarly();
        goOn(open);
    }

    private void answerEarly() {
        soon().until(peer::suspended);
        soon().until(() -> StreamPair.ask(stream, c -> c.suspension.ever()));
    }

    /** Received bytes are read, then it is a reset. */
    @Test
    void isLostWhenThePeerDoesNotCome() throws Exception {
        connect(TimeUnit.MILLISECONDS.toNanos(500));
        say("last");
        assertTrue(stream.migrate());
        answerInTime();
        soon().until(() -> StreamPair.ask(stream, c -> c.end.reset()));
        assertEquals(OffloadStream.READ | OffloadStream.WRITE, stream.ready());
        assertEquals("last", read(4));
        SocketException e = assertThrows(SocketException.class, () -> read(1));
        assertEquals("Connection reset", e.getMessage());
        soon().until(() -> fabric.listeners().equals(listeners));
        stream.close(false);
        soon().until(() -> stream.life().released());
    }

    /** A peer that says nothing to SuspComm: the machine gives up, the place goes with it. */
    @Test
    void isCutWhenThePeerDoesNotAnswer() throws Exception {
        connect(TimeUnit.MILLISECONDS.toNanos(200));
        say("last");
        assertTrue(stream.migrate());
        assertFalse(stream.migrate(), "the last time is not over");
        assertEquals("last", read(4));
        SocketException e = assertThrows(SocketException.class, () -> read(1));
        assertEquals("Connection reset", e.getMessage());
        soon().until(() -> fabric.listeners().equals(listeners));
        stream.close(false);
    }

    /** A peer that comes after the stream was closed is refused. */
    @Test
    void closedBeforeThePeerComes() throws Exception {
        connect(TimeUnit.MILLISECONDS.toNanos(500));
        assertTrue(stream.migrate());
        answerInTime();
        stream.close(false);
        soon().until(() -> stream.life().released());
        soon().until(() -> fabric.listeners().equals(listeners));
    }
}
