package io.sdp4j.stream;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sends what streams have gathered when the JVM ends in order: a kernel's socket delivers what it
 * has taken although its process has ended without closing it. What a JVM that is killed has
 * gathered is lost. Thread-safe.
 */
final class FlushAtExit {
    /** Each stream that has ever gathered anything; forgotten with it. */
    private static final Set<StreamCore> STREAMS =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private static final AtomicBoolean HOOKED = new AtomicBoolean();

    private FlushAtExit() {}

    /** Once for each stream: it allocates. */
    static void add(StreamCore core) {
        STREAMS.add(core);
        if (HOOKED.compareAndSet(false, true)) {
            Thread hook =
                    Thread.ofPlatform()
                            .name("sdp4j-gathered")
                            .inheritInheritableThreadLocals(false)
                            .unstarted(FlushAtExit::send);
            hook.setContextClassLoader(null);
            try {
                Runtime.getRuntime().addShutdownHook(hook);
            } catch (IllegalStateException e) {
                // the JVM is ending already
            }
        }
    }

    static void send() {
        List<StreamCore> streams;
        synchronized (STREAMS) {
            streams = List.copyOf(STREAMS);
        }
        for (StreamCore core : streams) {
            synchronized (core) {
                if (!core.released()) {
                    core.coalescer.flush();
                }
            }
        }
    }
}
