package io.sdp4j.stream;

import io.sdp4j.linux.DaemonThread;
import io.sdp4j.offload.jdk.LastHook;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Ends streams when the JVM ends in order, over fabrics that end with it. A kernel's socket
 * delivers what it has taken, and then the end, although its process has not closed it. So each
 * stream sends what it has gathered, then its end, and the JVM waits until the peers' side has
 * received that. Bytes that a killed JVM has not sent are lost. Thread-safe.
 */
final class StreamsAtExit {
    /** Enough for two messages that soft-RoCE has to repeat, on a JVM that was asked to end. */
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final FabricSet fabrics;
    private final Set<StreamLife> streams = ConcurrentHashMap.newKeySet();
    private final Runnable end = this::end;
    private volatile Thread hook; // null if LastHook runs the end, or nothing does

    StreamsAtExit(FabricSet fabrics) {
        this.fabrics = fabrics;
    }

    /** Called before the first stream. */
    void hook() {
        if (LastHook.add(end)) {
            return;
        }
        Thread flusher =
                Thread.ofPlatform()
                        .group(DaemonThread.topGroup())
                        .name("sdp4j-gathered")
                        .inheritInheritableThreadLocals(false)
                        .unstarted(this::flush);
        flusher.setContextClassLoader(null);
        try {
            Runtime.getRuntime().addShutdownHook(flusher);
            hook = flusher;
        } catch (IllegalStateException e) {
            // the JVM is ending already
        }
    }

    /** Called after the last stream. */
    void unhook() {
        LastHook.remove(end);
        Thread flusher = hook;
        if (flusher != null) {
            try {
                boolean _ = Runtime.getRuntime().removeShutdownHook(flusher);
            } catch (IllegalStateException e) {
                // the JVM is ending already
            }
        }
    }

    void add(StreamLife stream) {
        streams.add(stream);
    }

    void remove(StreamLife stream) {
        streams.remove(stream);
    }

    /** The last of the application's hooks has ended. */
    void end() {
        leave(StreamLife::endWithJvm);
    }

    /** As {@link #end}, while other hooks of the application may still write: no stream ends. */
    private void flush() {
        leave(StreamLife::flush);
    }

    private void leave(Consumer<StreamLife> lastWords) {
        long deadline = System.nanoTime() + MOST_NANOS;
        streams.forEach(lastWords);
        while (!arrived() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private boolean arrived() {
        boolean drained = true;
        for (StreamLife stream : streams) {
            drained &= stream.drained();
        }
        return drained && fabrics.arrived();
    }
}
