package io.sdp4j.offload;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Remembers whether the application was told of the reset of one connection. A read or a write
 * reports it once, although both TCP and the stream may have a reset to report; after a read has
 * reported it, later reads do so, too. Thread-safe.
 */
public final class ToldReset {
    private enum To {
        NONE,
        READER,
        WRITER
    }

    private final AtomicReference<To> told = new AtomicReference<>(To.NONE);
    private volatile boolean withheld;

    /**
     * Notes that a read got {@code e} from TCP, which reports a reset only once, and goes on by the
     * stream.
     */
    public void withhold(IOException e) {
        if ("Connection reset".equals(e.getMessage())) {
            withheld = true;
        }
    }

    /**
     * Whether a read has met a reset of TCP, which the read that meets the stream's end has to
     * report.
     */
    public boolean withheld() {
        return withheld;
    }

    /**
     * Returns whether a read that failed throws {@code e}; if not, it returns the end, because a
     * write has reported the reset.
     */
    public boolean tellsReader(IOException e) {
        return !"Connection reset".equals(e.getMessage()) || tellsReader();
    }

    /** Returns whether a read reports a reset of TCP although the stream has ended in order. */
    public boolean tellsReader() {
        return told.compareAndSet(To.NONE, To.READER) || readerKnows();
    }

    /**
     * Returns whether a write that failed throws {@code e}; if not, it throws "Broken pipe",
     * because a read or a write has reported the reset.
     */
    public boolean tellsWriter(IOException e) {
        return !"Connection reset by peer".equals(e.getMessage())
                || told.compareAndSet(To.NONE, To.WRITER);
    }

    /** Notes that a write has taken the report of the reset without throwing it. */
    public void writerTook() {
        told.compareAndSet(To.NONE, To.WRITER);
    }

    /** Whether a read has reported the reset; later reads report it, too. */
    public boolean readerKnows() {
        return told.get() == To.READER;
    }

    /** Whether a read or a write has taken the report. */
    public boolean known() {
        return told.get() != To.NONE;
    }
}
