package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;

import io.sdp4j.fabric.Capabilities;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.shm.ShmConfig;
import io.sdp4j.fabric.shm.ShmFabric;
import io.sdp4j.fabric.verbs.VerbsConfig;
import io.sdp4j.fabric.verbs.VerbsFabric;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Settings;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.HostResolver;
import io.sdp4j.resolve.LocalAddresses;
import io.sdp4j.trace.TraceWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A provider over a shared-memory fabric of its own directory, which disappears with it. One that
 * stands beside another uses the directory of that, as another process would.
 */
final class TestFabric implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TestFabric.class);

    static final StreamSettings.Zcopy NO_ZCOPY = zcopy(false, false);

    static StreamSettings.Zcopy zcopy(boolean enabled, boolean offers) {
        return zcopy(enabled, 65_537, 262_144, offers);
    }

    /** Which borrows whatever is larger than a byte. */
    static StreamSettings.Zcopy tinyZcopy(boolean enabled, int rdmaBytes) {
        return zcopy(enabled, 2, rdmaBytes, false);
    }

    private static StreamSettings.Zcopy zcopy(
            boolean enabled, int thresholdBytes, int rdmaBytes, boolean offers) {
        return new StreamSettings.Zcopy(
                enabled ? StreamSettings.Zcopy.Use.TRUE : StreamSettings.Zcopy.Use.FALSE,
                thresholdBytes,
                1024,
                16,
                rdmaBytes,
                offers);
    }

    private final Path directory;
    private final boolean ownDirectory;
    private Fabric fabric;
    private final TestLoop loop;
    private final int buffers;
    private int deviceBuffers;
    private int deviceBufferBytes = 16_400;
    private int bufferBytes = 16_400;
    private boolean closed;
    private Consumer<String> complaints = LOG::warn;
    private long resumeNanos = TimeUnit.SECONDS.toNanos(10);
    private long quietNanos = TimeUnit.MILLISECONDS.toNanos(100);

    TestFabric() throws IOException {
        this(32);
    }

    TestFabric(int buffers) throws IOException {
        this(ShmConfig.defaults(), buffers);
    }

    /** As configured, but in a directory of its own. */
    TestFabric(ShmConfig config, int buffers) throws IOException {
        this(config, Files.createTempDirectory("sdp4j-test"), true, buffers);
    }

    /** For a test's field. */
    static TestFabric opened() {
        try {
            return new TestFabric();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private TestFabric(ShmConfig config, Path directory, boolean ownDirectory, int buffers)
            throws IOException {
        this.directory = directory;
        this.ownDirectory = ownDirectory;
        this.buffers = buffers;
        loop = TestLoop.take();
        fabric = ShmFabric.open(config.withDirectory(directory), loop.loop());
    }

    /** Over the RDMA device of this host. */
    static TestFabric verbs() throws IOException {
        return verbs(VerbsConfig.defaults());
    }

    static TestFabric verbs(VerbsConfig config) throws IOException {
        return new TestFabric(TestLoop.take(), config);
    }

    private TestFabric(TestLoop loop, VerbsConfig config) throws IOException {
        directory = null;
        ownDirectory = false;
        buffers = 32;
        this.loop = loop;
        fabric = VerbsFabric.open(config, loop.loop());
        fabric.awaitReady(TimeUnit.SECONDS.toNanos(StreamPair.LIMIT_SECONDS));
    }

    /** One that uses the directory of another process's. */
    static TestFabric in(Path directory) throws IOException {
        return new TestFabric(ShmConfig.defaults(), directory, false, 32);
    }

    Path directory() {
        return directory;
    }

    /** Listeners, by their files. */
    Set<Path> listeners() throws IOException {
        try (var files = Files.list(directory)) {
            return files.collect(Collectors.toSet());
        }
    }

    TestFabric beside() throws IOException {
        return new TestFabric(ShmConfig.defaults(), directory, false, buffers);
    }

    EventLoop loop() {
        return loop.loop();
    }

    /** How long suspended sessions are kept by providers made from here on. */
    TestFabric resumingWithin(long nanos) {
        resumeNanos = nanos;
        return this;
    }

    /** Sessions can be suspended, as over a device. */
    TestFabric suspending() {
        fabric = suspending(fabric);
        return this;
    }

    static Fabric suspending(Fabric fabric) {
        Capabilities own = fabric.capabilities();
        Capabilities far =
                new Capabilities(
                        own.maxRequestPrivateDataBytes(),
                        own.sendsCompleteAtPost(),
                        own.maxOutstandingReads(),
                        own.rdmaSparesCopies(),
                        own.rdmaBytes(),
                        true);
        return Shims.around(
                Fabric.class,
                fabric,
                (_, method, _) -> method.getName().equals("capabilities") ? far : null);
    }

    /** Nothing looks at quiet streams of providers made from here on. */
    TestFabric neverTrimming() {
        return quietAfter(0);
    }

    /** When streams of providers made from here on are quiet. */
    TestFabric quietAfter(long nanos) {
        quietNanos = nanos;
        return this;
    }

    /** Told what peers of providers made from here on have done wrong. */
    TestFabric complainingTo(Consumer<String> told) {
        complaints = told;
        return this;
    }

    /** With buffers of the sizes that programs have. */
    TestFabric buffersAsShipped() {
        Settings shipped = Settings.of(SdpSettings.ALL, Map.of(), new Properties(), line -> {});
        bufferBytes = StreamSettings.of(shipped).bufferBytes();
        deviceBuffers = StreamSettings.of(shipped).deviceBuffers();
        deviceBufferBytes = StreamSettings.of(shipped).deviceBufferBytes();
        return this;
    }

    OffloadProvider provider() {
        return provider(UnaryOperator.identity());
    }

    /** With {@code around} between the provider and the fabric. */
    OffloadProvider provider(UnaryOperator<Fabric> around) {
        return provider(around.apply(fabric), settings());
    }

    /** One that borrows buffers. */
    OffloadProvider provider(StreamSettings.Zcopy zcopy) {
        return provider(fabric, settings(TimeUnit.HOURS.toNanos(2), zcopy));
    }

    /** One that borrows buffers, with {@code around} between it and the fabric. */
    OffloadProvider provider(UnaryOperator<Fabric> around, StreamSettings.Zcopy zcopy) {
        return provider(around.apply(fabric), settings(TimeUnit.HOURS.toNanos(2), zcopy));
    }

    /** One whose streams are traced. */
    OffloadProvider traced(TraceWriter traces) {
        return traced(UnaryOperator.identity(), traces, NO_ZCOPY);
    }

    /** The same, with {@code around} between it and the fabric. */
    OffloadProvider traced(
            UnaryOperator<Fabric> around, TraceWriter traces, StreamSettings.Zcopy zcopy) {
        StreamSettings settings = settings(TimeUnit.HOURS.toNanos(2), zcopy);
        return provider(around.apply(fabric), settings, traces, loop());
    }

    /** For connections that a test opens itself. */
    StreamContext context() {
        return new StreamContext(settings(), null, loop(), null, null, null, null);
    }

    StreamSettings settings() {
        return settings(TimeUnit.HOURS.toNanos(2), NO_ZCOPY);
    }

    private StreamSettings settings(long keepAliveNanos, StreamSettings.Zcopy zcopy) {
        return new StreamSettings(
                buffers,
                bufferBytes,
                deviceBuffers == 0 ? buffers : deviceBuffers,
                deviceBufferBytes,
                262_144,
                TimeUnit.SECONDS.toNanos(60),
                TimeUnit.SECONDS.toNanos(1),
                resumeNanos,
                quietNanos,
                keepAliveNanos,
                zcopy);
    }

    /** Which probes its peers, over a fabric made of this one's. */
    OffloadProvider probing(UnaryOperator<Fabric> around, long keepAliveNanos) {
        return provider(around.apply(fabric), settings(keepAliveNanos, NO_ZCOPY));
    }

    /** Its streams have the timers of {@code around} this one's loop. */
    OffloadProvider timed(EventLoop around) {
        return provider(fabric, settings(), null, around);
    }

    OffloadProvider provider(Fabric used, StreamSettings settings) {
        return provider(used, settings, null, loop());
    }

    private OffloadProvider provider(
            Fabric used, StreamSettings settings, TraceWriter traces, EventLoop timers) {
        return new SdpOffloadProvider(
                new FabricSet(Map.of(fabric.name(), () -> used)),
                DeviceResolver.behind(
                        new HostResolver(LocalAddresses.system()), new KernelNetlink(loop())),
                null,
                settings,
                traces,
                timers,
                TimeUnit.SECONDS.toNanos(StreamPair.LIMIT_SECONDS),
                complaints);
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        fabric.close();
        Throwable caught = loop.giveBack();
        if (ownDirectory) {
            removeDirectory();
        }
        if (caught != null) {
            throw new AssertionError("the event loop reported a failure", caught);
        }
    }

    /** A thread may still be about to remove the name of a listener that it has closed. */
    private void removeDirectory() throws IOException {
        try (var files = Files.list(directory)) {
            for (Path p : files.toList()) {
                await().ignoreException(DirectoryNotEmptyException.class)
                        .untilAsserted(() -> Files.deleteIfExists(p));
            }
        }
        Files.delete(directory);
    }
}
