package io.sdp4j.offload.jdk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * Access to the JDK's internals that selectable channels need. Stateless; every method is safe for
 * any thread.
 *
 * <p>Call {@link #selfTest} once before anything else. If it returns a reason, no other method may
 * be used, and all channels must be the JDK's own.
 */
public final class ChannelBridge {
    private static final SelectionKey[] NO_KEYS = {};

    private ChannelBridge() {}

    /** Looks everything up; in a class of its own so that a failure can be told. */
    static final class Handles {
        static final VarHandle KEYS;
        static final Class<?> SELECTOR;
        static final VarHandle UPDATE_LOCK;
        static final VarHandle EPOLL;

        static {
            try {
                Lookup own = MethodHandles.lookup();
                Lookup spi = MethodHandles.privateLookupIn(AbstractSelectableChannel.class, own);
                KEYS =
                        spi.findVarHandle(
                                AbstractSelectableChannel.class, "keys", SelectionKey[].class);
                SELECTOR = Class.forName("sun.nio.ch.EPollSelectorImpl", false, null);
                Lookup selector = MethodHandles.privateLookupIn(SELECTOR, own);
                UPDATE_LOCK = selector.findVarHandle(SELECTOR, "updateLock", Object.class);
                EPOLL = selector.findVarHandle(SELECTOR, "epfd", int.class);
                // what the provider is compiled against
                own.accessClass(Class.forName("sun.nio.ch.EPollSelectorProvider", false, null));
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private Handles() {}
    }

    private static final class Tested {
        static final Optional<String> PROBLEM =
                JdkBridge.usable() ? JdkBridge.problemOf(Handles.class) : JdkBridge.selfTest();
    }

    /**
     * Looks up everything that channels need from the JDK, once. Opens no descriptor and starts no
     * thread.
     *
     * @return why channels cannot be switched, as one sentence; empty when they can
     */
    public static Optional<String> selfTest() {
        return Tested.PROBLEM;
    }

    /**
     * Returns the valid and cancelled keys of a channel; elements may be null. Takes no lock: the
     * array is complete only for the holder of the channel's {@code blockingLock}.
     */
    public static SelectionKey[] keys(SelectableChannel channel) {
        SelectionKey[] keys =
                (SelectionKey[]) Handles.KEYS.getVolatile((AbstractSelectableChannel) channel);
        return keys == null ? NO_KEYS : keys;
    }

    /** Makes the key's selector ask the channel for its interest again, before it next waits. */
    public static void queueUpdate(SelectionKey key) {
        JdkClasses.CHANNELS.queueUpdate(key);
    }

    /**
     * Whether this thread is asking channels for their interest on behalf of the key's selector.
     */
    public static boolean isUpdating(SelectionKey key) {
        Selector selector = key.selector();
        return Thread.holdsLock(
                Handles.SELECTOR.isInstance(selector)
                        ? Handles.UPDATE_LOCK.get(selector)
                        : selector);
    }

    /**
     * Takes descriptor {@code fdVal} out of the key's selector. Waits until the selector is not
     * asking channels for their interest. Leaves a closed selector alone: its keys may be valid
     * long after its epoll is closed, whose number may be another one's.
     *
     * @return whether the descriptor was registered
     */
    public static boolean takeOut(SelectionKey key, int fdVal) {
        Selector selector = key.selector();
        if (!Handles.SELECTOR.isInstance(selector)) {
            return false;
        }
        synchronized (Handles.UPDATE_LOCK.get(selector)) {
            boolean there = selector.isOpen() && JdkClasses.CHANNELS.registeredEvents(key) != 0;
            if (there) {
                JdkClasses.CHANNELS.epollRemove((int) Handles.EPOLL.get(selector), fdVal);
                JdkClasses.CHANNELS.registeredEvents(key, 0);
            }
            return there;
        }
    }

    /**
     * Puts descriptor {@code fdVal} into the key's selector, even while the selector waits, unless
     * the selector has done so meanwhile. First waits until the selector is not asking channels for
     * their interest.
     *
     * @param events asked for the events to watch, while the selector does not ask channels
     * @return false if that is impossible with this selector, which must be made to ask instead
     */
    public static boolean putIn(SelectionKey key, int fdVal, IntSupplier events) {
        Selector selector = key.selector();
        if (!Handles.SELECTOR.isInstance(selector)) {
            return false;
        }
        synchronized (Handles.UPDATE_LOCK.get(selector)) {
            int wanted = watched(key) ? events.getAsInt() : 0;
            if (wanted != 0 && JdkClasses.CHANNELS.registeredEvents(key) == 0) {
                int epoll = (int) Handles.EPOLL.get(selector);
                boolean added = JdkClasses.CHANNELS.epollAdd(epoll, fdVal, wanted) == 0;
                JdkClasses.CHANNELS.registeredEvents(key, wanted);
                VarHandle.fullFence(); // a later cancel: the selector sees that it must remove it
                if (!watched(key)) {
                    if (added) { // else it is there by another key
                        JdkClasses.CHANNELS.epollRemove(epoll, fdVal);
                    }
                    JdkClasses.CHANNELS.registeredEvents(key, 0);
                }
            }
        }
        return true;
    }

    /** A selector that is being closed closes its epoll first, and ends its keys later. */
    private static boolean watched(SelectionKey key) {
        return key.isValid() && key.selector().isOpen();
    }
}
