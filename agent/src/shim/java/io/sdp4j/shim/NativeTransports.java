package io.sdp4j.shim;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Looks from time to time whether the program runs a native transport of Netty, whose sockets
 * bypass Java and so the switch. Such a program may never make a socket that would start the
 * switch.
 *
 * <p>A daemon thread that sleeps, and now and then goes through the names of the loaded classes,
 * which takes about a millisecond. If it finds an event loop, it looks for a thread that runs one:
 * a class may have been loaded only to verify another one that names it, in a program whose sockets
 * are all Java's. Watching classes while they are loaded would cost every class, and the JVM its
 * shared archive. The thread ends after some 34 minutes of sleep; transports that come later are
 * not reported. Each copy of Netty (shaded ones are copies) is reported once.
 */
final class NativeTransports extends Thread {
    private static final long FIRST_MILLIS = 500;
    private static final long LAST_MILLIS = FIRST_MILLIS << 11;

    /** Names of the event loops, without the package of the copy. */
    private static final String[] LOOPS = {
        ".channel.epoll.EpollIoHandler", // Netty 4.2
        ".channel.epoll.EpollEventLoop", // 4.1
        ".channel.uring.IoUringIoHandler",
        ".incubator.channel.uring.IOUringEventLoop"
    };

    private final Supplier<Class<?>[]> classes;
    private final Set<String> told = new HashSet<>();

    /**
     * @param classes gives the loaded classes; null while the JVM ends
     */
    NativeTransports(Supplier<Class<?>[]> classes) {
        super(topGroup(), null, "sdp4j-transports", 0, false);
        this.classes = classes;
        setDaemon(true);
    }

    /** The group that is no program's, so that none counts, interrupts or awaits its threads. */
    static ThreadGroup topGroup() {
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        while (top.getParent() != null) {
            top = top.getParent();
        }
        return top;
    }

    @Override
    public void run() {
        try {
            for (long millis = FIRST_MILLIS; millis <= LAST_MILLIS; millis *= 2) {
                sleep(millis);
                try {
                    look();
                } catch (OutOfMemoryError e) {
                    // the next look may succeed
                }
            }
        } catch (InterruptedException e) {
            // interrupted: it stops looking
        }
    }

    private void look() {
        Class<?>[] loaded = classes.get();
        if (loaded == null) {
            return; // the JVM is ending
        }
        for (Class<?> c : loaded) {
            String copy = copyOf(c.getName());
            if (copy != null && !told.contains(copy)) {
                tellOfRunning();
                return;
            }
        }
    }

    private void tellOfRunning() {
        for (StackTraceElement[] stack : getAllStackTraces().values()) {
            for (StackTraceElement frame : stack) {
                String copy = copyOf(frame.getClassName());
                if (copy != null && told.add(copy)) {
                    Boot.log(
                            "a native transport of "
                                    + copy
                                    + " bypasses Java's sockets, nothing that it carries is"
                                    + " offloaded; to turn it off: -D"
                                    + copy
                                    + ".transport.noNative=true");
                }
            }
        }
    }

    /**
     * Returns the copy of Netty ({@code io.netty} or so) whose native event loop the class is, or
     * null.
     */
    private static String copyOf(String name) {
        for (String loop : LOOPS) {
            if (name.endsWith(loop)) {
                return name.substring(0, name.length() - loop.length());
            }
        }
        return null;
    }
}
