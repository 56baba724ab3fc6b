package io.sdp4j.api.spi;

import org.jspecify.annotations.Nullable;

/**
 * The one scope of all copies of this library in a JVM: the agent has its own, which the
 * application does not see, and gives both the same scope. Thread-safe; the agent calls {@link
 * #share} before its copy is used.
 *
 * @since 0.1
 */
public final class KernelScope {
    /** A class of the agent jar, which is on the class path of a JVM with the agent. */
    private static final String OF_AGENT = "io.sdp4j.shim.KernelScope";

    private static volatile @Nullable ScopedValue<Boolean> shared;

    private KernelScope() {}

    /**
     * Gives the agent's copy the scope, so that it need not look for it.
     *
     * @param scope bound while new sockets are the kernel's
     */
    public static void share(ScopedValue<Boolean> scope) {
        shared = scope;
    }

    /**
     * The scope, to be kept.
     *
     * @return the agent's, or a new one in a JVM without it
     */
    @SuppressWarnings("unchecked") // it is what its name says
    public static ScopedValue<Boolean> find() {
        ScopedValue<Boolean> given = shared;
        if (given != null) {
            return given;
        }
        try {
            Class<?> agent = Class.forName(OF_AGENT, true, ClassLoader.getSystemClassLoader());
            return (ScopedValue<Boolean>) agent.getField("ACTIVE").get(null);
        } catch (ReflectiveOperationException | LinkageError e) {
            return ScopedValue.newInstance();
        }
    }
}
