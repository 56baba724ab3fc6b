package io.sdp4j.agent.cli;

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
import io.sdp4j.policy.Settings;
import io.sdp4j.stream.SdpOffloadProvider;
import io.sdp4j.stream.SdpProviders;
import io.sdp4j.stream.SdpSettings;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the test passes over a fabric that works, and says the step over one that does not. Method:
 * shared memory in the place of a device, as it is or with a fault put in.
 */
@Timeout(60)
class DeviceTestTest {
    @TempDir private Path folder;
    private final ConcurrentLinkedQueue<String> said = new ConcurrentLinkedQueue<>();

    /** The provider with something in its way. */
    private record Faulty(OffloadProvider provider, UnaryOperator<OffloadStream> fault)
            implements OffloadProvider {
        @Override
        public String name() {
            return "faulty";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            return fault.apply(provider.connect(spec));
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            return provider.listen(spec);
        }
    }

    /** Replaces what {@code tryRead} of a byte array does. */
    private interface Read {
        int read(OffloadStream stream, byte[] b, int off, int len) throws IOException;
    }

    private static OffloadStream reading(OffloadStream stream, Read read) {
        return (OffloadStream)
                Proxy.newProxyInstance(
                        OffloadStream.class.getClassLoader(),
                        new Class<?>[] {OffloadStream.class},
                        (proxy, method, args) -> {
                            if (method.getName().equals("tryRead") && args.length == 3) {
                                return read.read(
                                        stream, (byte[]) args[0], (int) args[1], (int) args[2]);
                            }
                            try {
                                return method.invoke(stream, args);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private void run(UnaryOperator<OffloadStream> fault, long millis) throws Exception {
        SdpOffloadProvider provider =
                SdpProviders.create(
                        Settings.of(
                                SdpSettings.ALL, Map.of("shm.dir", folder.toString()), line -> {}));
        new DeviceTest(
                        new Faulty(provider, fault),
                        "shm",
                        InetAddress.getLoopbackAddress(),
                        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis),
                        said::add)
                .run();
    }

    private List<String> steps() {
        return said.stream().filter(line -> line.startsWith("step=")).toList();
    }

    @Test
    void passesOverAFabricThatWorks() throws Exception {
        run(stream -> stream, 30_000);
        assertEquals(
                List.of(
                        "step=listen",
                        "step=connect",
                        "step=transfer",
                        "step=round_trips",
                        "step=close"),
                steps());
        assertTrue(said.contains("bytes=1048576"), said::toString);
        assertTrue(said.contains("round_trips=200"), said::toString);
        assertTrue(said.stream().anyMatch(l -> l.matches("round_trip_us=[0-9]+")), said::toString);
        assertTrue(said.stream().anyMatch(l -> l.matches("connect_us=[0-9]+")), said::toString);
    }

    @Test
    void seesOneBitThatIsWrong() {
        IOException e =
                assertThrows(
                        IOException.class,
                        () ->
                                run(
                                        stream ->
                                                reading(
                                                        stream,
                                                        (s, b, off, len) -> {
                                                            int n = s.tryRead(b, off, len);
                                                            if (n > 0) {
                                                                b[off] ^= 1;
                                                            }
                                                            return n;
                                                        }),
                                        30_000));
        assertEquals("bytes came back different", e.getMessage());
        assertEquals("step=transfer", steps().getLast());
    }

    @Test
    void endsInTimeWhenNothingComes() {
        long start = System.nanoTime();
        assertThrows(
                SocketTimeoutException.class,
                () -> run(stream -> reading(stream, (s, b, off, len) -> 0), 500));
        assertEquals("step=transfer", steps().getLast());
        long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        assertTrue(tookMillis < 10_000, tookMillis + " ms");
    }

    @Test
    void passesOnWhyThereIsNoConnection() {
        OffloadUnavailable e =
                assertThrows(
                        OffloadUnavailable.class,
                        () ->
                                new DeviceTest(
                                                new Faulty(SdpProviders.create(none()), s -> s),
                                                "shm",
                                                InetAddress.getLoopbackAddress(),
                                                System.nanoTime() + 1_000_000_000L,
                                                said::add)
                                        .run());
        assertEquals(ReasonCode.NO_PROVIDER, e.reason());
        assertEquals("step=listen", steps().getLast());
    }

    private static Settings none() {
        return Settings.of(SdpSettings.ALL, Map.of("shm.enabled", "false"), line -> {});
    }
}
