package io.sdp4j.api.spi;

/**
 * The one scope of all copies of this library in a JVM: the agent has its own, which the
 * application does not see. Thread-safe.
 *
 * @since 0.1
 */
public final class KernelScope {
    /** A class of the agent jar, which is on the class path of a JVM with the agent. */
    private static final String OF_AGENT = "io.sdp4j.shim.KernelScope";

    private KernelScope() {}

    /**
     * The scope, to be kept.
     *
     * @return the agent's, or a new one in a JVM without it
     */
    @SuppressWarnings("unchecked") // it is what its name says
    public static ScopedValue<Boolean> find() {
        try {
            Class<?> agent = Class.forName(OF_AGENT, true, ClassLoader.getSystemClassLoader());
            return (ScopedValue<Boolean>) agent.getField("ACTIVE").get(null);
        } catch (ReflectiveOperationException | LinkageError e) {
            return ScopedValue.newInstance();
        }
    }
}
