package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: calls without the linker pass every word, tell errors, and do not depend on the loader. */
@Timeout(60)
class DirectCallsTest {
    private static final int EBADF = 9;
    private static final int PROT_READ = 1;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
    private static final int PAGE_BYTES = 4096;

    @BeforeEach
    void whereTheyAreMeant() {
        assumeTrue(Linux.isX86() && Runtime.version().feature() == 25);
        assertNotNull(DirectCalls.CALLS, "not used, although they are written for this JDK");
    }

    @Test
    void errorsAreTold() {
        assertEquals(-EBADF, DirectCalls.CALLS.call(Linux.CLOSE, -1, 0, 0, 0, 0, 0));
        assertEquals(-1, DirectCalls.CALLS.callQuietly(Linux.CLOSE, -1, 0, 0, 0, 0, 0));
    }

    @Test
    void everyWordArrives() {
        long page = map(PAGE_BYTES, 0);
        assertTrue(page > 0, () -> "mmap: " + page);
        assertEquals(0, DirectCalls.CALLS.call(Linux.MUNMAP, page, PAGE_BYTES, 0, 0, 0, 0));
        assertEquals(-Linux.EINVAL, map(0, 0), "the second");
        assertEquals(-Linux.EINVAL, map(PAGE_BYTES, 1), "the last, which goes by the stack");
    }

    private static long map(long lenBytes, long offset) {
        return DirectCalls.CALLS.call(
                Linux.MMAP, 0, lenBytes, PROT_READ, MAP_PRIVATE_ANONYMOUS, -1, offset);
    }

    @Test
    void processorIsOneOfThisMachine() {
        int cpu = DirectCalls.CALLS.cpu();
        assertTrue(cpu >= 0 && cpu < 1 << 16, () -> "processor " + cpu);
    }

    @Test
    void compiledCodeGetsTheSameAnswers() {
        for (int i = 0; i < 30_000; i++) {
            assertEquals(-EBADF, DirectCalls.CALLS.call(Linux.CLOSE, -1, 0, 0, 0, 0, 0));
            assertEquals(-1, DirectCalls.CALLS.callQuietly(Linux.CLOSE, -1, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void secondCopyUsesTheClassOfTheFirst() throws Exception {
        URL classes = DirectCalls.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader other = new URLClassLoader(new URL[] {classes}, null)) {
            Class<?> copy = Class.forName(DirectCalls.class.getName(), true, other);
            assertNotSame(DirectCalls.class, copy);
            Field calls = copy.getDeclaredField("CALLS");
            calls.setAccessible(true);
            assertNotNull(calls.get(null));
        }
    }
}
