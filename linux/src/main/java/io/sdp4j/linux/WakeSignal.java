package io.sdp4j.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/**
 * The signal that makes a blocking system call of a thread return. It is the signal with which the
 * JDK ends blocking reads of sockets and files that another thread closes. Its handler does
 * nothing, but a sleeping call returns with EINTR. Thread-safe.
 *
 * <p>A signal that arrives before the thread is in the call has no effect, so the sender has to
 * repeat it until the thread has left the call.
 *
 * <p>Source: libnio's NativeThread.c (signal SIGRTMAX - 2, no SA_RESTART). This is checked at run
 * time: if the signal has no handler, or one that restarts calls, it is not used.
 */
public final class WakeSignal {
    public static final int NUMBER = 62;
    private static final long SA_RESTART = 0x1000_0000;
    private static final int SIGACTION_BYTES = 32;
    private static final int SIGSET_BYTES = 8;

    /** {@code SIG_IGN}; this value and the one below stand for "no handler". */
    private static final long LARGEST_NO_HANDLER = 1;

    private static final boolean USABLE = Linux.known() && handled();
    private static final long PROCESS = ProcessHandle.current().pid();

    private WakeSignal() {}

    /** Whether there is such a signal in this process. */
    public static boolean usable() {
        return USABLE;
    }

    /** Returns the calling thread, or the carrier of a virtual one, for {@link #send}. */
    public static int self() {
        return (int) Linux.callQuietly(Linux.GETTID, 0, 0, 0, 0, 0, 0);
    }

    /**
     * Interrupts the system call of a thread of this process that still lives.
     *
     * @param thread the result of {@link #self} in that thread
     */
    public static void send(int thread) {
        Linux.callQuietly(Linux.TGKILL, PROCESS, thread, NUMBER, 0, 0, 0);
    }

    private static boolean handled() {
        makeTheJdkInstallIt();
        try (SyscallBuffer now = SyscallBuffer.allocate(SIGACTION_BYTES)) {
            long r = Linux.call(Linux.RT_SIGACTION, NUMBER, 0, now.address(), SIGSET_BYTES, 0, 0);
            return r == 0
                    && now.getLong(0) > LARGEST_NO_HANDLER
                    && (now.getLong(8) & SA_RESTART) == 0;
        }
    }

    /** Makes the JDK install the handler, which it does before the first call that could block. */
    private static void makeTheJdkInstallIt() {
        try {
            Pipe pipe = Pipe.open();
            try (Pipe.SinkChannel sink = pipe.sink();
                    Pipe.SourceChannel source = pipe.source()) {
                sink.write(ByteBuffer.allocate(1));
                source.read(ByteBuffer.allocate(1));
            }
        } catch (IOException e) {
            // no descriptor is left; the caller looks for the handler all the same
        }
    }
}
