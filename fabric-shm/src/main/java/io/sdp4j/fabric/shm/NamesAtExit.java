package io.sdp4j.fabric.shm;

import io.sdp4j.linux.DaemonThread;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Removes the names of listeners that are still open when the JVM ends in order. A JVM that is
 * killed leaves its names to the next process that sweeps ({@link Rendezvous#sweep}). Thread-safe.
 */
final class NamesAtExit {
    private static final Set<ShmListener> OPEN = ConcurrentHashMap.newKeySet();
    private static final AtomicBoolean HOOKED = new AtomicBoolean();

    /** The JVM is ending; a new listener removes its names at once. */
    private static volatile boolean ends;

    private NamesAtExit() {}

    static void add(ShmListener listener) {
        OPEN.add(listener);
        if (HOOKED.compareAndSet(false, true)) {
            Thread hook =
                    Thread.ofPlatform()
                            .group(DaemonThread.topGroup())
                            .name("sdp4j-names")
                            .inheritInheritableThreadLocals(false)
                            .unstarted(NamesAtExit::removeAll);
            hook.setContextClassLoader(null);
            try {
                Runtime.getRuntime().addShutdownHook(hook);
            } catch (IllegalStateException e) {
                ends = true;
            }
        }
        if (ends) {
            listener.removeNames();
        }
    }

    private static void removeAll() {
        ends = true; // first: a listener that is made now removes its names itself
        OPEN.forEach(ShmListener::removeNames);
    }

    static void remove(ShmListener listener) {
        OPEN.remove(listener);
    }
}
