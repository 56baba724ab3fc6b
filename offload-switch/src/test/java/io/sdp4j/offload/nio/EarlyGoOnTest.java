package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.contract.OneStream;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntBiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the switch goes on with an early channel whatever the application's threads wait for, and
 * knows its blocking mode. Method: the shim's classes, defined here, without the shim.
 */
@Timeout(60)
class EarlyGoOnTest {
    private static final int SWITCH = 0; // see EarlyConnection
    private static final int MAY_MOVE = 1;
    private static final int SWITCH_ONLY = 6;
    private static final int ACCEPTS = 7; // see EarlyListening
    private static final String FOLDER = "sdp4j-jdk/sun/nio/ch/";

    private final CountDownLatch over = new CountDownLatch(1);
    private SelectorProvider provider;
    private ServerSocketChannel listener;
    private SocketChannel channel;
    private SocketChannel accepted;

    @BeforeEach
    void connect() throws Throwable {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new MovingProvider(new OneStream(null))),
                        SwitchSettings.defaults()
                                .withUpgrade(UpgradePolicy.afterBytes(Long.MAX_VALUE)));
        provider = SwitchChannels.provider(owner); // defines what the early classes extend
        listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel = early(MAY_MOVE, _ -> {});
        channel.connect(listener.getLocalAddress());
        accepted = listener.accept();
    }

    private SocketChannel early(int where, Consumer<Object[]> starter) throws Throwable {
        return (SocketChannel) early("connection", where, starter);
    }

    private Object early(String kind, int where, Consumer<Object[]> starter) throws Throwable {
        ToIntBiFunction<InetSocketAddress, InetSocketAddress> place = (_, _) -> where;
        AtomicLongArray counts = new AtomicLongArray(16);
        return maker().apply(new Object[] {kind, provider, null, place, starter, counts, counts});
    }

    /** A start of the switch that lasts until the test is over. */
    private SocketChannel earlyBesideAStart(int where) throws Throwable {
        return early(
                where,
                _ -> {
                    try {
                        assertTrue(over.await(50, TimeUnit.SECONDS));
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    private static Void connect(SocketChannel to, SocketAddress peer, int millis)
            throws IOException {
        to.socket().connect(peer, millis);
        return null;
    }

    @Test
    void aTimedConnectDoesNotWaitForTheStartWithoutLimit() throws Throwable {
        try (SocketChannel timed = earlyBesideAStart(SWITCH)) {
            SocketAddress peer = listener.getLocalAddress();
            Void _ = Task.start(() -> connect(timed, peer, 500)).get();
            assertTrue(timed.isConnected());
        }
    }

    @Test
    void aTimedConnectThatMustNotUseTcpTimesOut() throws Throwable {
        try (SocketChannel timed = earlyBesideAStart(SWITCH_ONLY)) {
            SocketAddress peer = listener.getLocalAddress();
            Task<Void> task = Task.start(() -> connect(timed, peer, 2));
            assertThrows(SocketTimeoutException.class, task::get);
            assertFalse(timed.isOpen());
        }
    }

    @Test
    void anInterruptEndsATimedConnect() throws Throwable {
        try (SocketChannel timed = earlyBesideAStart(SWITCH)) {
            SocketAddress peer = listener.getLocalAddress();
            Task<Void> task = Task.start(() -> connect(timed, peer, 600_000));
            task.awaitBlocked();
            task.thread().interrupt();
            assertThrows(IOException.class, task::get);
            assertFalse(timed.isOpen());
        }
    }

    /** Nor one that could not listen for offloaded clients. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aListenerThatMustNotUseTcpTurnsClientsAway(boolean selected) throws Throwable {
        Policy only = Policy.everything(Decision.of(Verdict.OFFLOAD_ONLY, "use sdp", "test:1"));
        List<OffloadProvider> providers = selected ? List.of(new LoopbackProvider()) : List.of();
        OffloadSwitch strict = new OffloadSwitch(() -> only, providers, SwitchSettings.defaults());
        Consumer<Object[]> later = _ -> {};
        try (ServerSocketChannel early = (ServerSocketChannel) early("listener", ACCEPTS, later);
                Selector selector = Selector.open();
                SocketChannel client = SocketChannel.open()) {
            early.configureBlocking(false);
            early.register(selector, SelectionKey.OP_ACCEPT);
            if (selected) {
                selector.selectNow(); // it watches the kernel's listener alone
            }
            SocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            early.bind(any);
            Object[] goesOn = {early, any, 1};
            SelectorProvider switched = SwitchChannels.provider(strict);
            if (selected) {
                SwitchChannels.goOn(switched, goesOn);
            } else {
                assertThrows(SocketException.class, () -> SwitchChannels.goOn(switched, goesOn));
            }
            client.connect(early.getLocalAddress());
            await().until(
                            () -> {
                                assertNull(early.accept());
                                return strict.report().refused() > (selected ? 0 : 1);
                            });
            assertThrows(IOException.class, () -> client.read(ByteBuffer.allocate(1)));
        }
    }

    @AfterEach
    void close() throws IOException {
        over.countDown();
        accepted.close(); // first: it ends reads
        channel.close();
        listener.close();
    }

    /** Makes early channels. */
    @SuppressWarnings("unchecked")
    private static Function<Object[], Object> maker() throws Throwable {
        Lookup lookup = MethodHandles.lookup();
        Class<?> last = Class.forName("sun.nio.ch.SelChImpl", false, null);
        for (String name :
                List.of(
                        "CountedKernel",
                        "EarlyConnection$Rules",
                        "EarlyConnection",
                        "EarlyListening$GoOn",
                        "EarlyListening",
                        "EarlyMaker")) {
            last = defined(MethodHandles.privateLookupIn(last, lookup), name);
        }
        return (Function<Object[], Object>)
                MethodHandles.privateLookupIn(last, lookup)
                        .findConstructor(last, MethodType.methodType(void.class))
                        .invoke();
    }

    private static Class<?> defined(Lookup in, String name) throws Exception {
        ClassLoader ours = SwitchChannels.class.getClassLoader();
        try (InputStream file = ours.getResourceAsStream(FOLDER + name + ".class")) {
            return in.defineClass(file.readAllBytes());
        } catch (LinkageError e) { // by another test method
            return Class.forName("sun.nio.ch." + name, false, null);
        }
    }

    private Void goOn() throws IOException {
        SwitchChannels.goOn(provider, new Object[] {channel});
        return null;
    }

    private int read() throws IOException {
        return channel.read(ByteBuffer.allocate(1));
    }

    private int readAlone() throws IOException {
        synchronized (channel.blockingLock()) {
            return read();
        }
    }

    private boolean known() {
        return SwitchedConnection.of(channel) != null;
    }

    private boolean shown() {
        return SwitchedConnection.of(channel).selectorSide.wanted;
    }

    @Test
    void aReaderMayHoldTheBlockingLock() throws Exception {
        Task<Integer> reader = Task.start(this::readAlone);
        reader.awaitBlocked();
        Void _ = Task.start(this::goOn).get();
        assertTrue(known());
        assertFalse(shown());
        accepted.write(ByteBuffer.allocate(1));
        assertEquals(1, reader.get());
    }

    /** It has begun before the switch goes on, and ends afterwards. */
    @Test
    void aChangeOfTheModeMayWaitForAReader() throws Exception {
        Task<Integer> reader = Task.start(this::read);
        reader.awaitBlocked();
        Task<?> change = Task.start(() -> channel.configureBlocking(false));
        change.awaitBlocked();
        Void _ = Task.start(this::goOn).get();
        assertFalse(shown());
        accepted.write(ByteBuffer.allocate(1));
        assertEquals(1, reader.get());
        Object _ = change.get();
        assertFalse(channel.isBlocking());
        assertTrue(shown());
    }

    /** The part that has gone is not counted. */
    @Test
    void oneThatHasSentAPartOfAWriteThatFailedStays() throws Exception {
        Task<Void> writer =
                Task.start(
                        () -> {
                            channel.socket().getOutputStream().write(new byte[64 << 20]);
                            return null;
                        });
        await().until(() -> accepted.socket().getInputStream().available() > 0);
        accepted.setOption(StandardSocketOptions.SO_LINGER, 0);
        accepted.close();
        assertThrows(IOException.class, writer::get);
        Void _ = goOn();
        assertFalse(known());
    }

    /** Its bytes count, and a later call asks again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCallThatHasNoMemoryToAskForTheSwitchReturns(boolean reads) throws Throwable {
        AtomicInteger asked = new AtomicInteger();
        Consumer<Object[]> starter =
                _ -> {
                    asked.getAndIncrement();
                    throw new OutOfMemoryError("test");
                };
        try (SocketChannel busy = early(MAY_MOVE, starter)) {
            busy.connect(listener.getLocalAddress());
            try (SocketChannel peer = listener.accept()) {
                SocketChannel from = reads ? peer : busy;
                SocketChannel to = reads ? busy : peer;
                await().until(
                                () -> {
                                    for (int i = 0; i < 64; i++) {
                                        pass(from, to);
                                    }
                                    return asked.get() >= 2;
                                });
            }
        }
    }

    private static void pass(SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate(16 << 10);
        assertEquals(chunk.capacity(), from.write(chunk));
        chunk.clear();
        while (chunk.hasRemaining()) {
            assertTrue(to.read(chunk) > 0);
        }
    }

    @Test
    void theModeOfBeforeIsKnown() throws Exception {
        channel.configureBlocking(false);
        Void _ = goOn();
        assertTrue(shown());
        channel.configureBlocking(true);
        assertFalse(shown());
    }
}
