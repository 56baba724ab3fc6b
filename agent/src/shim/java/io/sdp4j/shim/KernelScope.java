package io.sdp4j.shim;

/**
 * The scope in which new sockets are the kernel's. It is the one of {@code KernelSockets}, whose
 * copies in the application and in the layer share it. Public for the application's copy.
 */
public final class KernelScope {
    /** Bound inside. */
    public static final ScopedValue<Boolean> ACTIVE = ScopedValue.newInstance();

    static {
        Boot.scopeUsed();
    }

    private KernelScope() {}

    static boolean active() {
        return ACTIVE.isBound();
    }
}
