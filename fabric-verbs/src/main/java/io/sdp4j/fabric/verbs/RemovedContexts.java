package io.sdp4j.fabric.verbs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Contexts of devices that were removed, until the library has noticed: from then on it closes them
 * by itself with the last id that uses them, and need not look again.
 *
 * <p>Thread-safe; a removal and a look do not meet, as both are the event thread's.
 */
final class RemovedContexts {
    private final Set<Long> contexts = ConcurrentHashMap.newKeySet();

    void add(long context) {
        contexts.add(context);
    }

    /** The library has given the address to another device. */
    void isBack(long context) {
        contexts.remove(context);
    }

    /** Whether the library has to look. */
    boolean any() {
        return !contexts.isEmpty();
    }

    /**
     * The library has looked.
     *
     * @param there contexts that it has open and whose devices are there; null if it could not look
     */
    void onLooked(Set<Long> there) {
        if (there != null) {
            contexts.retainAll(there);
        }
    }
}
