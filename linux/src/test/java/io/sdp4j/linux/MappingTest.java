package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import jdk.internal.misc.Unsafe;
import org.junit.jupiter.api.Test;

/** How large pages are, and which memory of a peer is taken. */
final class MappingTest {
    private static final int BYTES = 2 << 20;
    private static final int MFD_ALLOW_SEALING = 2;
    private static final int MFD_HUGETLB = 4;
    private static final int F_ADD_SEALS = 1033;

    @Test
    void pagesAreTheKernels() {
        assertEquals(Unsafe.getUnsafe().pageSize(), Mapping.PAGE_BYTES);
    }

    @Test
    void sealedMemoryOfOrdinaryPagesIs() {
        int fd = Mapping.create("sdp4j-test", BYTES);
        assertEquals(null, Mapping.fault(fd, BYTES));
        Linux.close(fd);
    }

    @Test
    void sealedHugePagesAreNotBecauseAHoleMayNotBeFilledAgain() {
        int fd;
        try (Arena arena = Arena.ofConfined()) {
            long name = arena.allocateFrom("sdp4j-test").address();
            fd = (int) Linux.call(Linux.MEMFD_CREATE, name, MFD_ALLOW_SEALING | MFD_HUGETLB, 0);
        }
        assumeTrue(fd >= 0, "this kernel has no huge pages");
        assertEquals(0, Linux.call(Linux.FTRUNCATE, fd, BYTES, 0));
        assertEquals(0, Linux.call(Linux.FCNTL, fd, F_ADD_SEALS, 7));
        String fault = Mapping.fault(fd, BYTES);
        assertTrue(fault != null && fault.contains("tmpfs"), fault);
        Linux.close(fd);
    }
}
