package io.sdp4j.stream;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.resolve.DeviceResolver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The fabrics of this process, each opened at its first use; one that cannot be opened stays
 * unavailable with its reason. But RDMA is tried again, at most once in ten seconds: a driver may
 * be loaded later than a program. So is any fabric that ran out of something. Thread-safe.
 */
final class FabricSet {
    private static final String OVER = "the provider is closed";
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Opens a fabric; not called again once it has succeeded. */
    @FunctionalInterface
    interface Opener {
        Fabric open() throws FabricException;
    }

    private record Opened(Fabric fabric, FabricException failure, long nanos) {}

    private final Map<String, Opener> openers;
    private final LongSupplier clock;
    private final Map<String, Opened> opened = new ConcurrentHashMap<>();
    private volatile boolean ended;
    private volatile boolean closed;

    /** Not a lambda, which takes longer to make when a program starts. */
    private static final class Clock implements LongSupplier {
        @Override
        public long getAsLong() {
            return System.nanoTime();
        }
    }

    /**
     * @param openers by name, in the provider's own order of preference
     */
    FabricSet(Map<String, Opener> openers) {
        this(openers, new Clock());
    }

    /**
     * The same.
     *
     * @param clock as {@link System#nanoTime}
     */
    FabricSet(Map<String, Opener> openers, LongSupplier clock) {
        this.openers = openers;
        this.clock = clock;
    }

    /** Names to try, in order: those preferred that exist, or all. */
    List<String> order(List<String> preferred) {
        if (preferred.isEmpty()) {
            return List.copyOf(openers.keySet());
        }
        List<String> names = new ArrayList<>(preferred);
        names.retainAll(openers.keySet());
        return names;
    }

    /** The fabric, if it was opened before; else null. */
    Fabric opened(String name) {
        Opened o = opened.get(name);
        return o == null || ended ? null : o.fabric;
    }

    /** From here on {@link #get} and {@link #opened} give no fabric. */
    void end() {
        ended = true;
    }

    /** Closes those that were opened; after {@link #end}. */
    void close() {
        closed = true; // first: one that is being opened now is closed by its opener
        for (Opened o : opened.values()) {
            if (o.fabric != null) {
                o.fabric.close();
            }
        }
    }

    /**
     * @throws FabricException if the fabric cannot be used; the same each time, or for ten seconds
     */
    Fabric get(String name) throws FabricException {
        Opened o = opened.get(name);
        if (o == null) {
            o = opened.computeIfAbsent(name, this::open);
        } else if (again(name, o)) {
            o = opened.compute(name, (n, last) -> again(n, last) ? open(n) : last);
        }
        if (o.failure != null) {
            throw o.failure;
        }
        if (ended) {
            if (closed) {
                o.fabric.close();
            }
            throw new FabricException(Cause.CLOSED, OVER);
        }
        return o.fabric;
    }

    /** See {@link Fabric#arrived}. */
    boolean arrived() {
        return opened.values().stream().allMatch(o -> o.fabric == null || o.fabric.arrived());
    }

    private boolean again(String name, Opened last) {
        return last.failure != null
                && (name.equals(DeviceResolver.VERBS) || last.failure.why() == Cause.RESOURCES)
                && clock.getAsLong() - last.nanos >= AGAIN_NANOS
                && !ended;
    }

    private Opened open(String name) {
        if (ended) {
            return failed(new FabricException(Cause.CLOSED, OVER));
        }
        try {
            return new Opened(openers.get(name).open(), null, 0);
        } catch (FabricException e) {
            return failed(e);
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            return failed(
                    new FabricException(
                            e instanceof OutOfMemoryError ? Cause.RESOURCES : Cause.UNAVAILABLE,
                            "fabric " + name + " failed to start: " + e,
                            e));
        }
    }

    private Opened failed(FabricException why) {
        return new Opened(null, why, clock.getAsLong());
    }
}
