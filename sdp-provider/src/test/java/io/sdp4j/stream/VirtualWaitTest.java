package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.testing.Proc;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a message for a virtual thread that waits to read takes no hop by the event thread. */
@Timeout(60)
final class VirtualWaitTest {
    private static final int TRIPS = 2000;
    private static final int MESSAGE_BYTES = 64;

    @Test
    void theEventThreadSleepsOn() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(
                                fabric.provider(TestFabric.zcopy(false, false)),
                                fabric.provider(TestFabric.zcopy(false, false)))) {
            long before = switchesOfLoops();
            assertTrue(before > 0, "no event thread is found");
            Future<?> echo = threads.submit(() -> echo(pair.server));
            Future<?> trips = threads.submit(() -> trips(pair.client));
            trips.get(30, TimeUnit.SECONDS);
            echo.get(30, TimeUnit.SECONDS);
            long woken = switchesOfLoops() - before;
            assertTrue(woken < TRIPS / 4, () -> "woken " + woken + " times");
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    private static Void trips(OffloadStream stream) throws IOException {
        byte[] message = new byte[MESSAGE_BYTES];
        for (int i = 0; i < TRIPS; i++) {
            message[0] = (byte) i;
            StreamPair.writeFully(stream, message);
            assertArrayEquals(message, StreamPair.readFully(stream, MESSAGE_BYTES));
        }
        return null;
    }

    private static Void echo(OffloadStream stream) throws IOException {
        for (int i = 0; i < TRIPS; i++) {
            StreamPair.writeFully(stream, StreamPair.readFully(stream, MESSAGE_BYTES));
        }
        return null;
    }

    /** How often event threads of this JVM have gone to sleep. */
    private static long switchesOfLoops() throws IOException {
        long sum = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                try {
                    if (Files.readString(task.resolve("comm")).strip().equals("test-loop")) {
                        sum += Long.parseLong(Proc.status(task, "voluntary_ctxt_switches"));
                    }
                } catch (NoSuchFileException e) {
                    // the thread has ended
                }
            }
        }
        return sum;
    }
}
