package io.sdp4j.offload.jdk;

import java.io.IOException;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle;
import java.nio.channels.Selector;
import java.util.Deque;
import java.util.Set;

/**
 * Shows what a selector of the JDK's would find if it waited now. It takes nothing away from the
 * selector. For the thread that selects, while it selects.
 */
public final class SelectorPeek {
    private final int epoll;

    private SelectorPeek(int epoll) {
        this.epoll = epoll;
    }

    /** Looks the rest up; in a class of its own so that channels can do without. */
    private static final class Handles {
        static final VarHandle UPDATES;
        static final VarHandle WOKEN;
        static final VarHandle KEYS;

        static {
            try {
                Lookup selector = JdkBridge.in("sun.nio.ch.EPollSelectorImpl");
                Class<?> type = selector.lookupClass();
                UPDATES = selector.findVarHandle(type, "updateKeys", Deque.class);
                WOKEN = selector.findVarHandle(type, "interruptTriggered", boolean.class);
                Lookup base = JdkBridge.in("sun.nio.ch.SelectorImpl");
                KEYS = base.findVarHandle(base.lookupClass(), "keys", Set.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private Handles() {}
    }

    private static final class Tested {
        static final boolean POSSIBLE = JdkBridge.problemOf(Handles.class).isEmpty();
    }

    /** Returns the peek into {@code selector}, or null if the selector is of an unknown kind. */
    public static SelectorPeek of(Selector selector) {
        return Tested.POSSIBLE && ChannelBridge.Handles.SELECTOR.isInstance(selector)
                ? new SelectorPeek((int) ChannelBridge.Handles.EPOLL.get(selector))
                : null;
    }

    /**
     * Whether {@code selector} has no further channel to ask for its interest before it waits.
     * Called for a channel that is being asked.
     */
    public static boolean asksNoMore(Selector selector) {
        return ((Deque<?>) Handles.UPDATES.get(selector)).isEmpty();
    }

    /**
     * Whether {@code selector} was woken and has not noticed yet. May be called without its locks.
     */
    public static boolean woken(Selector selector) {
        return (boolean) Handles.WOKEN.getOpaque(selector);
    }

    /**
     * Returns the size of {@link Selector#keys}; works even while {@code selector} is being closed.
     */
    public static int keys(Selector selector) {
        return ((Set<?>) Handles.KEYS.get(selector)).size();
    }

    /**
     * Whether more than {@code count} channels are ready, or {@code count} and the selector was
     * woken.
     */
    public boolean more(int count) {
        return ready(count + 1, -1);
    }

    /** Whether anything but {@code fdVal} is ready, or the selector was woken. */
    public boolean anythingBut(int fdVal) {
        return ready(1, fdVal);
    }

    private boolean ready(int count, int except) {
        try {
            return JdkClasses.CHANNELS.epollReady(epoll, count, except);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
