package io.sdp4j.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.FabricException;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import org.junit.jupiter.api.Test;

/**
 * Goal: each kind of function tells its failures the same way. Method: functions of the C library,
 * which is everywhere, in place of those of the RDMA libraries.
 */
class BindingsTest {
    private static final int ENOENT = 2;
    private static final int EBADF = 9;

    private final Bindings libc = new Bindings("libc.so.6", "it is always there");
    private final MethodHandle close = libc.bind("close", 1);

    BindingsTest() throws FabricException {}

    @Test
    void minusOneStandsForErrno() throws FabricException {
        assertEquals(-EBADF, Bindings.status(close, -1));
        assertEquals(EBADF, Bindings.errno(close, -1));
        assertEquals(0, Bindings.status(libc.bind("getpid", 0)), "any other result is none");
    }

    @Test
    void errorNumbersAreNegated() throws FabricException {
        assertEquals(-EBADF, Bindings.negated(libc.bind("posix_fadvise", 4), -1, 0, 0, 0));
        assertEquals(-EBADF, Bindings.negated(close, -1), "a few answer as others do");
        assertEquals(0, Bindings.negated(libc.bind("sched_yield", 0)));
    }

    @Test
    void noPointerStandsForErrno() throws FabricException {
        MethodHandle opendir = libc.bind("opendir", 1);
        try (Arena arena = Arena.ofConfined()) {
            long root = Bindings.pointer(opendir, arena.allocateFrom("/").address());
            assertTrue(root > 0);
            assertEquals(0, Bindings.status(libc.bind("closedir", 1), root));
            long none = arena.allocateFrom("/no such directory").address();
            assertEquals(-ENOENT, Bindings.pointer(opendir, none));
        }
    }

    @Test
    void callsAreCounted() throws FabricException {
        long before = Bindings.calls();
        Bindings.status(close, -1);
        assertTrue(Bindings.calls() > before);
    }
}
