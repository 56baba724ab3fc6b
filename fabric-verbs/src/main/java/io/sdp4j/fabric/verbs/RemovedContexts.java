package io.sdp4j.fabric.verbs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Contexts of devices that were removed and that the library has not noticed yet. Once it has
 * noticed, it closes a context by itself with the last id that uses it, and need not look again.
 *
 * <p>Thread-safe. A removal and a look never overlap, because both run on the event thread.
 */
final class RemovedContexts {
    private final Set<Long> contexts = ConcurrentHashMap.newKeySet();

    void add(long context) {
        contexts.add(context);
    }

    /** Called when the library has given the address to another device. */
    void isBack(long context) {
        contexts.remove(context);
    }

    /** Whether the library has to look again. */
    boolean any() {
        return !contexts.isEmpty();
    }

    /**
     * Called when the library has looked.
     *
     * @param there contexts that the library has open and whose devices are there; null if it could
     *     not look
     */
    void onLooked(Set<Long> there) {
        if (there != null) {
            contexts.retainAll(there);
        }
    }
}
