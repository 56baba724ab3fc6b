package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a peer that cuts off the file of a connection ends that connection, and nothing else.
 * Method: two connections in files; one file is cut off, found by the mappings of this process.
 */
@Timeout(60)
final class FileMemoryTest {
    private TestFabric fabric;
    private StreamPair doomed;
    private StreamPair other;

    @BeforeEach
    void open() throws Exception {
        fabric = TestFabric.opened(false);
        var provider = fabric.provider();
        doomed = new StreamPair(provider);
        List<Path> files = mapped();
        other = new StreamPair(provider);
        assumeTrue(!files.isEmpty(), "mappings cannot be found here");
        for (Path f : files) {
            try (var file = new RandomAccessFile(f.toFile(), "rw")) {
                file.setLength(0);
            } catch (IOException e) {
                assumeTrue(false, "mappings cannot be opened here: " + e);
            }
        }
    }

    @AfterEach
    void close() throws IOException {
        doomed.client.close(true);
        doomed.server.close(true);
        other.client.close(true);
        other.server.close(true);
        doomed.close();
        other.close();
        fabric.close(); // which fails if anything was thrown on the event thread
    }

    private List<Path> mapped() throws IOException {
        String directory = fabric.directory() + "/";
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.contains(directory) && line.contains("/seg-"))
                .map(line -> Path.of("/proc/self/map_files", line.substring(0, line.indexOf(' '))))
                .toList();
    }

    private void theOtherOneGoesOn() throws IOException {
        byte[] b = {1, 2, 3};
        StreamPair.writeFully(other.client, b);
        assertArrayEquals(b, StreamPair.readFully(other.server, 3));
    }

    @Test
    void writesAndReadsAreReset() throws Exception {
        byte[] b = new byte[100_000];
        assertThrows(
                SocketException.class,
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        doomed.client.tryWrite(b, 0, b.length);
                    }
                });
        assertThrows(
                SocketException.class,
                () -> {
                    while (doomed.server.tryRead(b, 0, b.length) >= 0) {
                        doomed.server.await(OffloadStream.READ, TimeUnit.SECONDS.toNanos(10));
                    }
                    throw new SocketException("the end, which is as good");
                });
        theOtherOneGoesOn();
    }

    @Test
    void whoWaitsIsToldAndTimersGoOn() throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread reader =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    try {
                                        byte[] b = new byte[10];
                                        while (doomed.server.tryRead(b, 0, 10) == 0) {
                                            doomed.server.await(OffloadStream.READ, Long.MAX_VALUE);
                                        }
                                    } catch (Throwable t) {
                                        thrown.set(t);
                                    }
                                });
        await().atMost(Duration.ofSeconds(20)).until(() -> !reader.isAlive());
        Throwable t = thrown.get();
        assertTrue(t == null || t instanceof SocketException, () -> "" + t);
        theOtherOneGoesOn();
    }
}
