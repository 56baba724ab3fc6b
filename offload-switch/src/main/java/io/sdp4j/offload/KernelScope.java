package io.sdp4j.offload;

/**
 * A piece of program in which every new socket and listener is the kernel's, whatever the rules
 * say: the way out for code that knows better.
 *
 * <p>It covers the thread that runs the piece, and threads forked in a structured way from it. What
 * was created inside stays on the kernel when it is used outside.
 */
public final class KernelScope {
    private static final ScopedValue<Boolean> ACTIVE = ScopedValue.newInstance();

    private KernelScope() {}

    public static void run(Runnable piece) {
        ScopedValue.where(ACTIVE, true).run(piece);
    }

    public static <R, X extends Throwable> R call(ScopedValue.CallableOp<? extends R, X> piece)
            throws X {
        return ScopedValue.where(ACTIVE, true).call(piece);
    }

    /** Whether the caller is inside such a piece. */
    public static boolean active() {
        return ACTIVE.isBound();
    }
}
