package io.sdp4j.linux;

import java.lang.foreign.MemorySegment;

/**
 * Makes, checks and maps memfds: sealed anonymous memory that can be passed to another process.
 * Stateless.
 *
 * <p>A mapping has the global scope: {@link #unmap} frees it in a microsecond, whereas closing a
 * shared arena costs a handshake with every thread. An access after {@link #unmap} therefore
 * faults, and its caller guarantees that there is none.
 */
public final class Mapping {
    private static final int MFD_CLOEXEC = 1;
    private static final int MFD_ALLOW_SEALING = 2;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_GET_SEALS = 1034;

    /** {@code F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW}. */
    private static final int SEALS = 1 | 2 | 4;

    /**
     * {@code TMPFS_MAGIC}: ordinary pages. The kernel supplies a new page where one was removed.
     */
    private static final long TMPFS = 0x01021994;

    private static final int STATFS_BYTES = 120;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final int MADV_REMOVE = 9;

    private static final int MADV_NORMAL = 0;
    private static final int LEAST_PAGE_BYTES = 4096;
    private static final int MOST_PAGE_BYTES = 64 << 10;

    /** Size of the kernel's pages, the smallest unit that can be given back. */
    public static final int PAGE_BYTES = pageBytes();

    private Mapping() {}

    /**
     * Finds the page size: advice about an empty range is refused only if the address is not at the
     * start of a page.
     */
    private static int pageBytes() {
        int bytes = LEAST_PAGE_BYTES;
        while (bytes < MOST_PAGE_BYTES
                && Linux.call(Linux.MADVISE, bytes, 0, MADV_NORMAL) == -Linux.EINVAL) {
            bytes *= 2;
        }
        return bytes;
    }

    /**
     * Makes a memfd of exactly {@code lenBytes}, sealed against every change of size; or -errno.
     */
    public static int create(String name, long lenBytes) {
        long fd;
        try (SyscallBuffer text = SyscallBuffer.text(name)) {
            int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
            fd = Linux.call(Linux.MEMFD_CREATE, text.address(), flags, 0);
        }
        if (fd < 0) {
            return (int) fd;
        }
        long r = Linux.call(Linux.FTRUNCATE, fd, lenBytes, 0);
        if (r >= 0) {
            r = Linux.call(Linux.FCNTL, fd, F_ADD_SEALS, SEALS);
        }
        if (r < 0) {
            Linux.close((int) fd);
            return (int) r;
        }
        return (int) fd;
    }

    /**
     * Returns the fault of a descriptor that came from a peer. Null if its size is exactly {@code
     * lenBytes} and can never change, and an access to one of its pages can never fail. Huge pages
     * are refused: if the peer makes a hole, there may be no huge page left to fill it.
     */
    public static String fault(int fd, long lenBytes) {
        long seals = Linux.call(Linux.FCNTL, fd, F_GET_SEALS, 0);
        if (seals < 0) {
            return "it cannot be sealed: " + Linux.text(seals);
        }
        if ((seals & SEALS) != SEALS) {
            return "its seals are " + seals + ", not " + SEALS;
        }
        Linux.FileStatus status = Linux.status(fd);
        if (status == null || !status.isRegularFile()) {
            return "it is not a file";
        }
        long kind = fileSystem(fd);
        if (kind != TMPFS) {
            return "it is on a file system of type 0x"
                    + Long.toHexString(kind)
                    + ", not on plain tmpfs";
        }
        if (status.sizeBytes() != lenBytes) {
            return "its size is " + status.sizeBytes() + ", not " + lenBytes;
        }
        return null;
    }

    private static long fileSystem(int fd) {
        try (SyscallBuffer s = SyscallBuffer.allocate(STATFS_BYTES)) {
            long r = Linux.call(Linux.FSTATFS, fd, s.address(), 0);
            return r < 0 ? r : s.getLong(0);
        }
    }

    /**
     * Maps the whole of {@code fd}; null if that fails. The descriptor may be closed afterwards.
     */
    @SuppressWarnings("restricted")
    public static MemorySegment map(int fd, long lenBytes) {
        long address = Linux.call(Linux.MMAP, 0, lenBytes, PROT_READ_WRITE, MAP_SHARED, fd, 0);
        if (address < 0 && address > -4096) {
            return null;
        }
        return MemorySegment.ofAddress(address).reinterpret(lenBytes);
    }

    /**
     * Gives the whole pages within a range of a mapping back to the system, for every process that
     * maps them. They read as zeros until they are written again. The range must not be in use.
     */
    public static void giveBack(MemorySegment mapped, long offset, long lenBytes) {
        long start = (offset + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        long end = (offset + lenBytes) / PAGE_BYTES * PAGE_BYTES;
        if (end > start) {
            Linux.callQuietly(
                    Linux.MADVISE, mapped.address() + start, end - start, MADV_REMOVE, 0, 0, 0);
        }
    }

    /**
     * Ends a mapping made by {@link #map}. The caller guarantees that no access runs or follows.
     */
    public static void unmap(MemorySegment mapped) {
        Linux.callQuietly(Linux.MUNMAP, mapped.address(), mapped.byteSize(), 0, 0, 0, 0);
    }
}
