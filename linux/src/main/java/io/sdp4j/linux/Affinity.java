package io.sdp4j.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Binds the calling thread to one processor while it sleeps.
 *
 * <p>Shape: {@link #confine} before the sleep, {@link #release} after it, both by the thread that
 * sleeps. A thread whose processors were chosen, by {@code taskset}, a cpuset or its own call, is
 * never confined. A thread whose processors are chosen while it is confined keeps that choice. A
 * released thread may run on every processor of its cpuset, also on those that are added later.
 *
 * <p>Cost: two system calls for each of the two, together about 3 us in a virtual machine. Not
 * thread-safe.
 */
public final class Affinity {
    /** Size of a mask of as many processors as a kernel can be built for. */
    private static final int MASK_BYTES = 8192 / 8;

    private static final Pattern RANGE = Pattern.compile("(\\d{1,6})(?:-(\\d{1,6}))?");

    /** Bit mask of the processors that are online; empty if it cannot be read. */
    private static final long[] ONLINE = online("/sys/devices/system/cpu/online");

    private int confinedTo;

    /** Whether there is a choice of processors. Makes no native call. */
    public static boolean available() {
        return processors() > 1;
    }

    /** As many as are online, whatever a container's share is; 0 where that cannot be told. */
    static int processors() {
        int processors = 0;
        for (long word : ONLINE) {
            processors += Long.bitCount(word);
        }
        return processors;
    }

    /**
     * Binds the calling thread to {@code cpu}, on which it may already run.
     *
     * @return false if nothing was changed, because {@code cpu} is not online or the thread may not
     *     run on every processor
     */
    public boolean confine(int cpu) {
        if (cpu < 0 || cpu >= ONLINE.length * Long.SIZE || !set(ONLINE[cpu / Long.SIZE], cpu)) {
            return false;
        }
        try (SyscallBuffer found = SyscallBuffer.allocate(MASK_BYTES);
                SyscallBuffer mask = SyscallBuffer.allocate(MASK_BYTES)) {
            if (!look(found)) {
                return false;
            }
            for (int i = 0; i < ONLINE.length; i++) {
                if ((ONLINE[i] & ~word(found, i)) != 0) {
                    return false;
                }
            }
            confinedTo = cpu;
            mask.putLong(cpu / Long.SIZE * Long.BYTES, 1L << cpu);
            return choose(mask);
        }
    }

    /** Undoes a {@link #confine} that returned true. */
    public void release() {
        try (SyscallBuffer mask = SyscallBuffer.allocate(MASK_BYTES)) {
            if (!look(mask)) {
                return;
            }
            for (int i = 0; i < ONLINE.length; i++) {
                long own = i == confinedTo / Long.SIZE ? 1L << confinedTo : 0;
                if (word(mask, i) != own) {
                    return; // somebody else has chosen its processors
                }
            }
            for (int at = 0; at < MASK_BYTES; at += Long.BYTES) {
                mask.putLong(at, -1);
            }
            boolean _ = choose(mask);
        }
    }

    /** The kernel writes as many words as it has processors for; the others stay 0. */
    private static boolean look(SyscallBuffer into) {
        return Linux.callQuietly(Linux.SCHED_GETAFFINITY, 0, MASK_BYTES, into.address(), 0, 0, 0)
                > 0;
    }

    private static boolean choose(SyscallBuffer mask) {
        return Linux.callQuietly(Linux.SCHED_SETAFFINITY, 0, MASK_BYTES, mask.address(), 0, 0, 0)
                == 0;
    }

    private static long word(SyscallBuffer of, int index) {
        return of.getLong(index * Long.BYTES);
    }

    private static boolean set(long word, int bit) {
        return (word >>> bit & 1) != 0;
    }

    private static long[] online(String file) {
        try {
            return parse(Files.readString(Path.of(file)).strip());
        } catch (IOException e) {
            return new long[0];
        }
    }

    /**
     * Parses the kernel's list format, {@code 0-3,8}; empty if a processor does not fit in a mask.
     */
    static long[] parse(String list) {
        BitSet cpus = new BitSet();
        Matcher range = RANGE.matcher(list);
        while (range.find()) {
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            cpus.set(first, last + 1);
        }
        return cpus.length() > MASK_BYTES * Byte.SIZE ? new long[0] : cpus.toLongArray();
    }
}
