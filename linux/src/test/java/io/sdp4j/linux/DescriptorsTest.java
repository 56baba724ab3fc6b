package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a wait ends with what it waited for, and tells how much of its time was left. */
@Timeout(60)
class DescriptorsTest {
    private static final long LONG = TimeUnit.SECONDS.toNanos(50);
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(20);

    @Test
    void aWaitTellsWhichOneIsReadable() {
        int fd = Descriptors.eventFd();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment scratch = arena.allocate(Descriptors.AWAIT_BYTES, 8);
            Descriptors.signal(fd);
            assertEquals(1, Descriptors.await(scratch, fd, -1, LONG));
            assertEquals(2, Descriptors.await(scratch, -1, fd, LONG));
            Descriptors.drain(fd);
            assertEquals(0, Descriptors.await(scratch, fd, -1, SHORT));
        } finally {
            Linux.close(fd);
        }
    }
}
