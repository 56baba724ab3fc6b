package io.sdp4j.offload.contract.nio;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Observations of a {@link RandomProgram}: a line for each step, without sizes and times. */
final class ProgramTrace {
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final List<String> lines = new ArrayList<>();

    List<String> lines() {
        return lines;
    }

    void add(String line) {
        lines.add(line);
    }

    void log(String what, Callable<?> call) {
        lines.add(what + " -> " + outcome(call));
    }

    static String outcome(Callable<?> call) {
        try {
            return String.valueOf(call.call());
        } catch (Exception | AssertionError x) {
            return x.getClass().getName() + ": " + x.getMessage();
        }
    }

    /** Waits for {@code there}; says so in the trace if it never comes. */
    void await(String what, BooleanSupplier there) throws InterruptedException {
        long start = System.nanoTime();
        while (!there.getAsBoolean()) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                lines.add("no " + what);
                return;
            }
            TimeUnit.MICROSECONDS.sleep(100);
        }
    }
}
