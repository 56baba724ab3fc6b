package io.sdp4j.offload;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The reset of one connection, as far as the application knows of it. It is told once, by a read or
 * a write, though TCP and the stream may both have it to tell. A read goes on telling it.
 * Thread-safe.
 */
public final class ToldReset {
    private enum To {
        NONE,
        READER,
        WRITER
    }

    private final AtomicReference<To> told = new AtomicReference<>(To.NONE);
    private volatile boolean withheld;

    /** A read has met {@code e} in TCP, which tells a reset once, and goes on by the stream. */
    public void withhold(IOException e) {
        if ("Connection reset".equals(e.getMessage())) {
            withheld = true;
        }
    }

    /** Whether a read has met a reset of TCP, which is for the one that meets the stream's end. */
    public boolean withheld() {
        return withheld;
    }

    /** A read has failed: whether it tells so; else it is at its end, as a write was told. */
    public boolean tellsReader(IOException e) {
        return !"Connection reset".equals(e.getMessage()) || tellsReader();
    }

    /** Whether a read tells of a reset of TCP below a stream that has ended in order. */
    public boolean tellsReader() {
        return told.compareAndSet(To.NONE, To.READER) || readerKnows();
    }

    /** Whether a failed write tells so; else the pipe is broken, as a read or a write was told. */
    public boolean tellsWriter(IOException e) {
        return !"Connection reset by peer".equals(e.getMessage())
                || told.compareAndSet(To.NONE, To.WRITER);
    }

    /** A write that tells of nothing has taken the news. */
    public void writerTook() {
        told.compareAndSet(To.NONE, To.WRITER);
    }

    /** Whether a read was told, which the next ones are, too. */
    public boolean readerKnows() {
        return told.get() == To.READER;
    }

    /** Whether a read or a write was told. */
    public boolean known() {
        return told.get() != To.NONE;
    }
}
