package io.sdp4j.rdma.os;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;

/**
 * The memory of one other process, to be read by {@code process_vm_readv}: one copy by the kernel.
 *
 * <p>Who may is the kernel's decision: the rules of {@code ptrace}, so mostly the same user, and
 * nobody at all under a strict Yama or in some containers. It shows at the first read.
 *
 * <p>A process number may come to mean another process. Every process has a <em>badge</em>, a
 * random number at a fixed address, which is read in the same call and thus from the same process
 * as the bytes; bytes that come with a wrong badge are not believed.
 *
 * <p>Not thread-safe.
 */
public final class ProcessMemory {
    private static final MemorySegment BADGE = Arena.global().allocate(8, 8);

    static {
        BADGE.set(JAVA_LONG, 0, new SecureRandom().nextLong() | 1);
    }

    private static final int VECTOR_BYTES = 16;
    private static final int REMOTE = 2 * VECTOR_BYTES;
    private static final int SEEN = 4 * VECTOR_BYTES;

    private final int pid;

    /** Two local vectors, two remote ones, the badge that came: bytes first, then the badge. */
    private final MemorySegment vectors = Arena.ofAuto().allocate(SEEN + 8, 8);

    /**
     * @param pid as this process sees it
     */
    public ProcessMemory(int pid) {
        this.pid = pid;
    }

    /** Where this process has its badge. */
    public static long ownBadgeAddress() {
        return BADGE.address();
    }

    /** The badge of this process; never 0. */
    public static long ownBadge() {
        return BADGE.get(JAVA_LONG, 0);
    }

    /**
     * Copies from the other process. Allocates nothing; takes as long as the copy.
     *
     * @param from address there
     * @param to native memory here, from {@code toOffset}; the caller keeps it alive
     * @param lenBytes 0 = only look at the badge
     * @return whether all of it came, and from the process with that badge
     */
    public boolean read(
            long from,
            MemorySegment to,
            long toOffset,
            long lenBytes,
            long badgeAddress,
            long badge) {
        vectors.set(JAVA_LONG, 0, to.address() + toOffset);
        vectors.set(JAVA_LONG, 8, lenBytes);
        vectors.set(JAVA_LONG, VECTOR_BYTES, vectors.address() + SEEN);
        vectors.set(JAVA_LONG, VECTOR_BYTES + 8, 8);
        vectors.set(JAVA_LONG, REMOTE, from);
        vectors.set(JAVA_LONG, REMOTE + 8, lenBytes);
        vectors.set(JAVA_LONG, REMOTE + VECTOR_BYTES, badgeAddress);
        vectors.set(JAVA_LONG, REMOTE + VECTOR_BYTES + 8, 8);
        vectors.set(JAVA_LONG, SEEN, 0);
        long at = vectors.address();
        long n = Linux.callQuietly(Linux.PROCESS_VM_READV, pid, at, 2, at + REMOTE, 2, 0);
        return n == lenBytes + 8 && badge != 0 && vectors.get(JAVA_LONG, SEEN) == badge;
    }
}
