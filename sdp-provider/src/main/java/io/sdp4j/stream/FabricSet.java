package io.sdp4j.stream;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The fabrics of this process, each opened at its first use; one that cannot be opened stays
 * unavailable with its reason. Thread-safe.
 */
final class FabricSet {
    /** Opens a fabric; called at most once for each. */
    @FunctionalInterface
    interface Opener {
        Fabric open() throws FabricException;
    }

    private record Opened(Fabric fabric, FabricException failure) {}

    private final Map<String, Opener> openers;
    private final Map<String, Opened> opened = new ConcurrentHashMap<>();
    private volatile boolean ended;

    /**
     * @param openers by name, in the provider's own order of preference
     */
    FabricSet(Map<String, Opener> openers) {
        this.openers = openers;
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

    /** Gives no fabric any more. */
    void end() {
        ended = true;
    }

    /** Closes those that were opened; after {@link #end}. */
    void close() {
        for (Opened o : opened.values()) {
            if (o.fabric != null) {
                o.fabric.close();
            }
        }
    }

    /**
     * @throws FabricException why it cannot be used, the same each time
     */
    Fabric get(String name) throws FabricException {
        Opened o = opened.get(name);
        if (o == null) {
            o = opened.computeIfAbsent(name, this::open);
        }
        if (o.failure != null) {
            throw o.failure;
        }
        if (ended) {
            throw new FabricException(FabricException.Cause.CLOSED, "the provider is closed");
        }
        return o.fabric;
    }

    /** See {@link Fabric#arrived}. */
    boolean arrived() {
        return opened.values().stream().allMatch(o -> o.fabric == null || o.fabric.arrived());
    }

    private Opened open(String name) {
        try {
            return new Opened(openers.get(name).open(), null);
        } catch (FabricException e) {
            return new Opened(null, e);
        } catch (RuntimeException | LinkageError e) {
            return new Opened(
                    null,
                    new FabricException(
                            FabricException.Cause.UNAVAILABLE,
                            "fabric " + name + " failed to start: " + e,
                            e));
        }
    }
}
