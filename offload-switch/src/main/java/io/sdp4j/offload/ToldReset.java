package io.sdp4j.offload;

import java.io.IOException;

/**
 * The reset of one connection, as far as the application knows of it. It is told once, by a read or
 * a write, though TCP and the stream may both have it to tell. Thread-safe.
 */
public final class ToldReset {
    private volatile boolean reader;
    private volatile boolean writer;
    private volatile boolean readerOfTcp; // of TCP's, below a stream that has ended in order

    /**
     * A read has failed.
     *
     * @return whether it is to tell so; else it is at its end, as a write was told
     */
    public boolean tellsReader(IOException e) {
        if (!"Connection reset".equals(e.getMessage())) {
            return true;
        }
        if (writer && !reader) {
            return false;
        }
        reader = true;
        return true;
    }

    /**
     * A stream has ended in order above a TCP connection that was reset.
     *
     * @return whether the read that has seen it is to tell so, instead of the end
     */
    public boolean tellsReaderOfTcp() {
        if (writer) {
            return false;
        }
        readerOfTcp = true;
        return true;
    }

    /** A write has failed. */
    public void writeFailed(IOException e) {
        if ("Connection reset by peer".equals(e.getMessage())) {
            writer = true;
        }
    }

    /** A write that tells of nothing has taken the news from TCP. */
    public void writerTook() {
        writer = true;
    }

    /** Whether a read was told, which the next ones are, too. */
    public boolean readerKnows() {
        return reader;
    }

    /** Whether a read was told of TCP's reset, below a stream that has ended in order. */
    public boolean readerKnowsOfTcp() {
        return readerOfTcp;
    }

    /** Whether a read or a write was told. */
    public boolean known() {
        return reader || writer;
    }
}
