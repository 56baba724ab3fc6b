package io.sdp4j.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sends the calling thread to one processor while it sleeps.
 *
 * <p>Shape: {@link #confine} before the sleep, {@link #release} after it, both by the thread that
 * sleeps. A thread whose processors were chosen, by {@code taskset}, a cpuset or a call of its own,
 * is never confined, and one whose processors were chosen while it was confined keeps them. A
 * released thread may run everywhere its cpuset lets it, also where processors are added later.
 *
 * <p>Cost: two system calls each, about 3 us of them in a virtual machine. No instance is used by
 * two threads at once.
 */
public final class Affinity {
    /** As many processors as a kernel can be built for. */
    private static final int MASK_BYTES = 8192 / 8;

    private static final Pattern RANGE = Pattern.compile("(\\d{1,6})(?:-(\\d{1,6}))?");

    /** Bit of each processor that is online; empty where that cannot be told. */
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
     * From now on the calling thread runs on {@code cpu} alone, where it may already be.
     *
     * @return false, and nothing is changed, if that is no processor or the thread is not free to
     *     run on every one
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

    /** After {@link #confine} was true: the thread is as free as it was. */
    public void release() {
        try (SyscallBuffer mask = SyscallBuffer.allocate(MASK_BYTES)) {
            if (!look(mask)) {
                return;
            }
            for (int i = 0; i < ONLINE.length; i++) {
                long own = i == confinedTo / Long.SIZE ? 1L << confinedTo : 0;
                if (word(mask, i) != own) {
                    return; // chosen by another
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

    /** The kernel's list format: {@code 0-3,8}; nothing of what has more processors than a mask. */
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
