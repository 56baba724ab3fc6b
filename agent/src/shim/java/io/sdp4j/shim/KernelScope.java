package io.sdp4j.shim;

/**
 * The scope in which new sockets are the kernel's: that of {@code KernelSockets}, whose copies in
 * the application and in the layer share it. Public for the application's.
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
