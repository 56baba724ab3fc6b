package io.sdp4j.stream;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;

/**
 * Errors of readers and writers when a stream is over, in the kernel's words and order: a reset is
 * reported once, to the first caller, and never before data that has arrived.
 *
 * <p>Guarded by the stream's lock. Failures are returned, not thrown, so that wake-ups that are due
 * are carried out first.
 */
final class StreamErrors {

    private static final String TIMED_OUT = "Connection timed out";

    private enum Reported {
        NOTHING,
        TO_READER,
        TO_WRITER
    }

    private final StreamCore core;
    private Reported reported = Reported.NOTHING;
    private boolean writeSwallowed;

    StreamErrors(StreamCore core) {
        this.core = core;
    }

    /**
     * Ends an operation whose copy from or to the application's buffer has thrown. A page of a
     * mapped file that is not there any more gives EFAULT, as from the kernel.
     *
     * @param done bytes that the operation has moved before: they are reported first
     * @param first whether its caller has moved nothing before it
     */
    static int afterBadCopy(Throwable thrown, int done, boolean first) throws IOException {
        boolean noPage = thrown instanceof InternalError;
        if (thrown instanceof Error e && !noPage) {
            throw e;
        }
        if (done > 0 || !first) {
            return done;
        }
        if (noPage) {
            throw new IOException("Bad address", thrown);
        }
        throw (RuntimeException) thrown;
    }

    /**
     * Called after a copy from or to {@code b}: an error of a mapped file is thrown here. Otherwise
     * compiled code throws it at a later place, when the copy counts as made. The return of a
     * native method is such a place. Asking whether the memory is a file's takes longer than this
     * call.
     */
    static void awaitFault(ByteBuffer b) {
        if (b.isDirect()) {
            boolean _ = Thread.holdsLock(b);
        }
    }

    /** Whether a reader that finds nothing unread has reached the end of the stream. */
    boolean endOfStream() {
        assert Thread.holdsLock(core);
        return !core.end.silent()
                && (core.inbox.isShut()
                        || core.end.finSeen()
                        || core.end.vanishedClean()
                        || (core.end.reset()
                                && (reported == Reported.TO_WRITER || (told() && timedOut()))));
    }

    /** Exception of a reader that finds nothing unread, and no end; null = wait. */
    SocketException forReader() {
        assert Thread.holdsLock(core);
        if (!core.end.reset() || core.end.silent()) {
            return null;
        }
        reported = Reported.TO_READER;
        return new SocketException(timedOut() ? TIMED_OUT : "Connection reset");
    }

    /** Whether the reset was reported. */
    private boolean told() {
        return reported != Reported.NOTHING;
    }

    /**
     * Whether the end is a time-out. The JDK remembers a reset but not a time-out, which the kernel
     * reports once.
     */
    private boolean timedOut() {
        return core.end.timedOut();
    }

    /** Exception of a writer that cannot write; null = wait, or {@link #swallowWrite}. */
    SocketException forWriter() {
        assert Thread.holdsLock(core);
        if (core.end.silent()) {
            return null;
        }
        boolean inOrder = core.end.vanishedClean() || core.end.finSeen();
        if (core.end.reset() && !inOrder && !told()) {
            reported = Reported.TO_WRITER; // also to a writer that has shut its output
            return new SocketException(timedOut() ? TIMED_OUT : "Connection reset by peer");
        }
        boolean over = core.end.reset() && (!core.end.vanishedClean() || writeSwallowed);
        return over || core.end.outputShut() ? new SocketException("Broken pipe") : null;
    }

    /**
     * Swallows a write that found no room, if it is the first one to a process that has ended in
     * TCP's good order: it succeeds, and its bytes vanish (behaviour 16).
     *
     * @return whether it did
     */
    boolean swallowWrite() {
        assert Thread.holdsLock(core);
        boolean swallows =
                core.end.reset()
                        && !core.end.silent()
                        && core.end.vanishedClean()
                        && !writeSwallowed;
        writeSwallowed |= swallows;
        return swallows;
    }
}
