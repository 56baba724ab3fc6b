package io.sdp4j.linux;

/**
 * Threads of a fabric's own: they never keep the JVM alive, and hold nothing of the application's
 * whose call happened to start them, neither its class loader nor its inherited thread locals.
 */
public final class DaemonThread {
    private DaemonThread() {}

    /** One that is still to be started. */
    public static Thread of(String name, Runnable task) {
        Thread t =
                Thread.ofPlatform()
                        .daemon()
                        .name(name)
                        .inheritInheritableThreadLocals(false)
                        .unstarted(task);
        t.setContextClassLoader(null);
        return t;
    }
}
