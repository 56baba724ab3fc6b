package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Settings;
import io.sdp4j.trace.TraceConnection;
import io.sdp4j.trace.TraceEvent;
import io.sdp4j.trace.TraceReader;
import io.sdp4j.trace.TraceWriter;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.Mid;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a trace holds what went over the wire, and costs nothing on the heap, on or off. Method:
 * both ends of a stream over shared memory, in one trace file.
 */
class StreamTraceTest {
    @TempDir private Path folder;

    private static TraceWriter writer(Path file) throws IOException {
        return TraceWriter.create(file, 1 << 20, 0, 0, System.nanoTime(), 1);
    }

    /** Names of what happened on a connection, with an arrow each. */
    private static List<String> story(Path file, boolean connecting) throws IOException {
        int number;
        try (TraceReader reader = TraceReader.open(file)) {
            number =
                    reader.connections().stream()
                            .filter(c -> c.connecting() == connecting)
                            .findFirst()
                            .orElseThrow()
                            .number();
        }
        return story(file, number);
    }

    private static List<String> story(Path file, int number) throws IOException {
        try (TraceReader reader = TraceReader.open(file)) {
            List<String> story = new ArrayList<>();
            reader.forEach(
                    e -> {
                        if (e.connection() == number) {
                            story.add((e.received() ? "<" : ">") + name(e));
                        }
                    });
            return story;
        }
    }

    private static String name(TraceEvent e) {
        return e.kind() == TraceEvent.Kind.MESSAGE
                ? Mid.name(Bsdh.mid(e.kept(), 0))
                : e.kind().name();
    }

    @Test
    void tellsAConversation() throws Exception {
        Path file = folder.resolve("t");
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = new StreamPair(fabric.traced(writer(file)))) {
            StreamPair.writeFully(pair.client, new byte[1000]);
            StreamPair.readFully(pair.server, 1000);
            StreamPair.writeFully(pair.server, new byte[5]);
            StreamPair.readFully(pair.client, 5);
            pair.client.shutdownOutput();
            assertEquals(0, StreamPair.readFully(pair.server, 1).length, "end of stream");
            pair.server.close(false);
            assertEquals(0, StreamPair.readFully(pair.client, 1).length, "end of stream");
            pair.client.close(false);
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> story(file, true).contains("<DISCONNECT"));
            List<String> client = story(file, true);
            assertEquals(
                    List.of(">Hello", "<HelloAck", ">Data", "<Data", ">DisConn", "<DisConn"),
                    client.subList(0, 6));
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> story(file, false).contains("<DISCONNECT"));
            assertEquals(
                    List.of("<Hello", ">HelloAck", "<Data", ">Data", "<DisConn", ">DisConn"),
                    story(file, false).subList(0, 6));
            try (TraceReader reader = TraceReader.open(file)) {
                TraceConnection one = reader.connections().get(0);
                TraceConnection other = reader.connections().get(1);
                assertEquals(one.local(), other.remote());
                assertEquals(one.remote(), other.local());
                assertEquals("shm", one.fabric());
                reader.forEach(
                        e -> {
                            int payload = name(e).equals("Data") ? e.byteLen() - Bsdh.BYTES : 0;
                            assertTrue(payload == 0 || payload == 5 || payload == 1000);
                        });
            }
        }
    }

    /** Buffers that are lent: RDMA is in the trace of who posts it. */
    @Test
    void tellsZeroCopy() throws Exception {
        Path file = folder.resolve("t");
        TraceWriter trace = writer(file);
        StreamSettings.Zcopy zcopy = TestFabric.zcopy(true, false);
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = new StreamPair(fabric.traced(f -> f, trace, zcopy))) {
            ByteBuffer from = ByteBuffer.allocateDirect(1 << 20);
            ByteBuffer into = ByteBuffer.allocateDirect(1 << 20);
            while (into.hasRemaining()) {
                Operation read = Operation.read(pair.server, into);
                Operation write = from.hasRemaining() ? Operation.write(pair.client, from) : null;
                boolean written = write == null;
                boolean done = false;
                while (!done || !written) {
                    written = written || write.tried();
                    done = done || read.tried();
                }
            }
            List<String> source = story(file, true);
            assertTrue(source.containsAll(List.of(">SrcAvail", "<RdmaRdCompl")), source::toString);
            List<String> sink = story(file, false);
            assertTrue(
                    sink.containsAll(List.of("<SrcAvail", ">RDMA_READ", ">RdmaRdCompl")),
                    sink::toString);
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    @Test
    void tellsACut() throws Exception {
        Path file = folder.resolve("t");
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = new StreamPair(fabric.traced(writer(file)))) {
            pair.client.close(true);
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> story(file, true).contains(">ABORT"));
            pair.server.close(false);
        }
    }

    /** One that this end cuts before there is a stream. */
    @Test
    void tellsAnAnswerThatIsRefused() throws Exception {
        Path file = folder.resolve("t");
        TraceWriter trace = writer(file);
        try (TestFabric fabric = new TestFabric();
                ServerSocket port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ServerSocket held = new ProvedListener(InetAddress.getLoopbackAddress())) {
            OffloadProvider provider =
                    fabric.traced(StreamTraceTest::garbling, trace, TestFabric.NO_ZCOPY);
            InetSocketAddress there = (InetSocketAddress) port.getLocalSocketAddress();
            InetSocketAddress own = (InetSocketAddress) held.getLocalSocketAddress();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            ListenSpec listen = new ListenSpec(there, false, 1, List.of(), () -> {});
            ConnectSpec connect =
                    new ConnectSpec(there, _ -> own, List.of(), deadline, false, () -> false);
            try (OffloadListener _ = provider.listen(listen)) {
                assertThrows(OffloadUnavailable.class, () -> provider.connect(connect));
            }
            assertEquals(List.of(">Hello", "<HelloAck", ">ABORT"), story(file, true));
        }
    }

    /** {@code fabric}, but each HelloAck that comes is of an unknown version. */
    private static Fabric garbling(Fabric fabric) {
        return Shims.proxy(
                Fabric.class,
                (_, method, args) -> {
                    Object result = Shims.invoke(method, fabric, args);
                    if (result instanceof Fabric.Connection c) {
                        c.privateData()[Bsdh.BYTES] = 0x7F;
                    }
                    return result;
                });
    }

    /** Each connection of a session stands for itself. */
    @Test
    void tellsWhatGoesOnElsewhere() throws Exception {
        Path file = folder.resolve("t");
        try (TestFabric fabric = new TestFabric().suspending();
                StreamPair pair = new StreamPair(fabric.traced(writer(file)))) {
            SdpStream client = (SdpStream) pair.client;
            SdpStream server = (SdpStream) pair.server;
            await().atMost(Duration.ofSeconds(20)).until(client::migrate);
            await().atMost(Duration.ofSeconds(20))
                    .until(
                            () ->
                                    StreamPair.ask(client, StreamTraceTest::wentOn)
                                            && StreamPair.ask(server, StreamTraceTest::wentOn));
            StreamPair.writeFully(client, new byte[5]);
            StreamPair.readFully(server, 5);
            client.close(true);
            List<String> first = story(file, 1);
            first.addAll(story(file, 2));
            assertFalse(first.contains(">Data"), first::toString);
            List<String> second = story(file, 3);
            second.addAll(story(file, 4));
            List<String> all =
                    List.of(">Hello", "<Hello", ">HelloAck", "<HelloAck", ">Data", "<Data");
            assertTrue(second.containsAll(all), second::toString);
            assertTrue(second.contains(">ABORT"), second::toString);
            server.close(false);
        }
    }

    private static boolean wentOn(StreamCore core) {
        return core.suspension.ever() && !core.suspension.suspended();
    }

    /** Round trips on one thread: whatever is allocated is found in its count. */
    @Test
    void allocatesNothing() throws Exception {
        try (TestFabric fabric = new TestFabric()) {
            for (OffloadProvider provider :
                    List.of(fabric.provider(), fabric.traced(writer(folder.resolve("t"))))) {
                try (StreamPair pair = new StreamPair(provider)) {
                    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
                    long self = Thread.currentThread().threadId();
                    byte[] bytes = new byte[64];
                    long fewest = Long.MAX_VALUE;
                    for (int round = 0; round < 20; round++) {
                        long before = threads.getThreadAllocatedBytes(self);
                        for (int i = 0; i < 2000; i++) {
                            pair.client.tryWrite(bytes, 0, 64);
                            pair.server.tryRead(bytes, 0, 64);
                            pair.server.tryWrite(bytes, 0, 64);
                            pair.client.tryRead(bytes, 0, 64);
                        }
                        fewest = Math.min(fewest, threads.getThreadAllocatedBytes(self) - before);
                    }
                    assertEquals(0, fewest);
                    pair.client.close(false);
                    pair.server.close(false);
                }
            }
        }
    }

    @Test
    void isOffByDefault() throws IOException {
        assertNull(Traces.writer(Settings.defaults(SdpSettings.ALL)));
        assertNotNull(Traces.writer(settings(folder.resolve("t-%p"))));
        Path made = folder.resolve("t-" + ProcessHandle.current().pid());
        assertEquals(1 << 20, Files.size(made));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(made), files.toList());
        }
    }

    /** Another provider of the process must not put a new file in the place of the first one's. */
    @Test
    void isOneForAFile() throws IOException {
        Path file = folder.resolve("one");
        var first = Traces.writer(settings(file));
        Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        assertSame(first, Traces.writer(settings(file)));
        assertEquals(key, Files.readAttributes(file, BasicFileAttributes.class).fileKey());
    }

    /** Goal: an interrupt is the application's, and costs it no trace. */
    @Test
    void beginsInAnInterruptedThread() throws IOException {
        Path file = folder.resolve("interrupted");
        Thread.currentThread().interrupt();
        var _ = Traces.writer(settings(file));
        assertTrue(Thread.interrupted());
        assertEquals(1 << 20, Files.size(file));
    }

    @Test
    void goesOnWithoutAFile() {
        assertNull(Traces.writer(settings(folder.resolve("no/such"))));
    }

    private static Settings settings(Path file) {
        return Settings.of(
                SdpSettings.ALL,
                Map.of("trace", file.toString(), "trace.limit.mb", "1"),
                new Properties(),
                line -> {
                    throw new AssertionError(line);
                });
    }
}
