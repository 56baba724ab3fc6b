package io.sdp4j.linux;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a thread that sleeps in a system call for ever comes out when it is signalled. */
@Timeout(60)
class WakeSignalTest {
    @Test
    void aBlockedReadEnds() throws InterruptedException {
        assertTrue(WakeSignal.usable());
        int fd = Descriptors.eventFd();
        Descriptors.blocking(fd, true);
        AtomicInteger number = new AtomicInteger();
        Thread reader =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    number.set(WakeSignal.self());
                                    Descriptors.drain(fd);
                                });
        try {
            await().until(() -> number.get() != 0);
            // one may come before the thread is in the call: again until it is out
            await().atMost(Duration.ofSeconds(30))
                    .pollInterval(Duration.ofMillis(2))
                    .until(
                            () -> {
                                WakeSignal.send(number.get());
                                return !reader.isAlive();
                            });
        } finally {
            Descriptors.signal(fd);
            reader.join();
            Linux.close(fd);
        }
    }
}
