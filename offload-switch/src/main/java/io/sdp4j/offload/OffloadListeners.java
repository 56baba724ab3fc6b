package io.sdp4j.offload;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadStream;
import java.util.List;

/**
 * The offload side of one listener.
 *
 * <p>Thread-safety: {@link #poll} is for the one thread that accepts; {@link #close} for anybody.
 */
public final class OffloadListeners implements AutoCloseable {
    private final List<OffloadListener> listeners;
    private final boolean only;
    private final ReasonCode reason;
    private final String detail;
    private final AcceptedTable accepted;
    private int next;

    OffloadListeners(
            List<OffloadListener> listeners,
            boolean only,
            ReasonCode reason,
            String detail,
            AcceptedTable accepted) {
        this.accepted = accepted;
        this.listeners = List.copyOf(listeners);
        this.only = only;
        this.reason = reason;
        this.detail = detail;
    }

    /** Whether there is anything to poll. */
    public boolean offloads() {
        return !listeners.isEmpty();
    }

    /** Whether connections that come by TCP are to be refused. */
    public boolean only() {
        return only;
    }

    /** Where connections go that were accepted from the kernel and may move; null = none may. */
    public AcceptedTable accepted() {
        return accepted;
    }

    /** Why connections accepted from the kernel are there. */
    public ReasonCode reason() {
        return reason;
    }

    /** The same as one sentence. */
    public String detail() {
        return detail;
    }

    /** The next stream that waits to be accepted, from each listener in turn; null if none does. */
    public OffloadStream poll() {
        for (int i = 0; i < listeners.size(); i++) {
            OffloadListener listener = listeners.get(next);
            next = (next + 1) % listeners.size();
            OffloadStream stream = listener.poll();
            if (stream != null) {
                return stream;
            }
        }
        return null;
    }

    /** Whether {@link #poll} would find a stream. For any thread. */
    public boolean pending() {
        for (OffloadListener listener : listeners) {
            if (listener.pending()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        listeners.forEach(OffloadListener::close);
    }
}
