package io.sdp4j.linux;

/**
 * Makes daemon threads. They never keep the JVM alive, and do not inherit the class loader or the
 * thread locals of the application thread that happens to start them, nor its thread group.
 */
public final class DaemonThread {
    private DaemonThread() {}

    /** Returns a thread that is not started yet. */
    public static Thread of(String name, Runnable task) {
        Thread t =
                Thread.ofPlatform()
                        .group(topGroup())
                        .daemon()
                        .name(name)
                        .inheritInheritableThreadLocals(false)
                        .unstarted(task);
        t.setContextClassLoader(null);
        return t;
    }

    /** The group that is no program's, so that none counts, interrupts or awaits its threads. */
    public static ThreadGroup topGroup() {
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        while (top.getParent() != null) {
            top = top.getParent();
        }
        return top;
    }
}
