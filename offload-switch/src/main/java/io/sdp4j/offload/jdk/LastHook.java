package io.sdp4j.offload.jdk;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import jdk.internal.access.JavaLangAccess;
import jdk.internal.access.SharedSecrets;

/**
 * Tasks that run after all shutdown hooks of the application have ended. Hooks may use sockets, so
 * the code that serves sockets must outlive them; but a thread of it that is still in native code
 * delays the end of the JVM by 300 ms. Thread-safe.
 */
public final class LastHook {
    /** The JDK itself runs 0 to 2: the console, the application's hooks, files to delete. */
    private static final int FIRST_FREE_SLOT = 3;

    private static final int LAST_SLOT = 9;

    private static final List<Runnable> TASKS = new CopyOnWriteArrayList<>();

    private static final boolean REGISTERED = register();

    private LastHook() {}

    /**
     * Adds a task. The last one added runs first, as it may need what the earlier ones end.
     *
     * @return false if the task will never run, because this module has no access to {@code
     *     jdk.internal.access}, or the JVM is ending already
     */
    public static boolean add(Runnable task) {
        if (REGISTERED) {
            TASKS.add(task);
        }
        return REGISTERED;
    }

    /** Forgets a task. */
    public static void remove(Runnable task) {
        TASKS.remove(task);
    }

    private static void run() {
        TASKS.reversed().forEach(Runnable::run);
    }

    private static boolean register() {
        try {
            JavaLangAccess jdk = SharedSecrets.getJavaLangAccess();
            for (int slot = LAST_SLOT; slot >= FIRST_FREE_SLOT; slot--) {
                try {
                    jdk.registerShutdownHook(slot, false, LastHook::run);
                    return true;
                } catch (InternalError taken) {
                    // another instance of this module has the slot
                }
            }
        } catch (LinkageError | RuntimeException e) {
            // only the end of the JVM takes longer
        }
        return false;
    }
}
