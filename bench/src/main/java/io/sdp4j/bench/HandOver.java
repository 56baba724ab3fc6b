package io.sdp4j.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * How long two processors take to hand a number to each other and back through memory, with nothing
 * else between them: the least part of every round trip between two processes, and a figure that
 * tells a machine's states apart from outside. A virtual machine's processors may share a core at
 * one moment and be far apart at another.
 *
 * <p>For one thread, which must not be confined to a processor; it and another one are busy
 * meanwhile.
 */
final class HandOver {
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    /** Indices that are two pairs of cache lines apart from each other and from what is around. */
    private static final int ASKED = 32;

    private static final int ANSWERED = 64;
    private static final int WORDS = 96;

    private static final int WINDOWS = 9;
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int TURNS_A_LOOK = 10;
    private static final int READINGS_TO_COMPILE = 10;

    private final long[] words = new long[WORDS];
    private volatile boolean ended;

    /** Takes some readings first, so that those that follow are not of interpreted code. */
    HandOver() {
        for (int n = 0; n < READINGS_TO_COMPILE; n++) {
            double _ = nanos();
        }
    }

    /**
     * The median of some windows of two milliseconds, in nanoseconds there and back; milliseconds
     * where two processors are not available. Takes 20 ms, more on a busy machine.
     */
    double nanos() {
        ended = false;
        WORD.setVolatile(words, ASKED, 0L);
        WORD.setVolatile(words, ANSWERED, 0L);
        double[] windows = new double[WINDOWS];
        long number = 0;
        ThreadFactory threads = Thread.ofPlatform().name("hand-over").daemon().factory();
        try (ExecutorService answers = Executors.newSingleThreadExecutor(threads)) {
            answers.execute(this::answer);
            for (int w = 0; w < WINDOWS; w++) {
                long begin = System.nanoTime();
                long first = number;
                long now;
                do {
                    for (int n = 0; n < TURNS_A_LOOK; n++) {
                        ask(++number);
                    }
                    now = System.nanoTime();
                } while (now - begin < WINDOW_NANOS);
                windows[w] = (now - begin) / (double) (number - first);
            }
            ended = true;
        }
        Arrays.sort(windows);
        return Results.median(windows);
    }

    private void ask(long number) {
        WORD.setRelease(words, ASKED, number);
        while ((long) WORD.getAcquire(words, ANSWERED) != number) {
            Thread.onSpinWait();
        }
    }

    private void answer() {
        for (long number = 1; !ended; number++) {
            while ((long) WORD.getAcquire(words, ASKED) != number) {
                if (ended) {
                    return;
                }
                Thread.onSpinWait();
            }
            WORD.setRelease(words, ANSWERED, number);
        }
    }
}
