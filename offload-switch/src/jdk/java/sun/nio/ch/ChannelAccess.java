package sun.nio.ch;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.function.BooleanSupplier;

/**
 * Calls package-private methods of this package that deal with descriptors, buffers and selectors.
 * It is in this package because other code could call them only through method handles, which are
 * slow to make.
 */
public final class ChannelAccess {
    static final ChannelAccess ONLY = new ChannelAccess();

    private ChannelAccess() {}

    // --- descriptors ---

    /**
     * Calls {@code poll(2)}.
     *
     * @param millis upper bound; -1 = none
     */
    public int poll(FileDescriptor fd, int events, long millis) throws IOException {
        return Net.poll(fd, events, millis);
    }

    /**
     * Parks a virtual thread until {@code fd} is ready.
     *
     * @param nanos upper bound; 0 = none
     */
    public void park(int fd, int event, long nanos, BooleanSupplier open) throws IOException {
        Poller.poll(fd, event, nanos, open);
    }

    public int epollCreate() throws IOException {
        return EPoll.create();
    }

    /** Begins to watch {@code fd}. Returns 0 or an errno. */
    public int epollAdd(int epoll, int fd, int events) {
        return EPoll.ctl(epoll, EPoll.EPOLL_CTL_ADD, fd, events);
    }

    /** Changes the events that {@code epoll} watches {@code fd} for. */
    public void epollWatch(int epoll, int fd, int events) {
        int _ = EPoll.ctl(epoll, EPoll.EPOLL_CTL_MOD, fd, events);
    }

    public void epollRemove(int epoll, int fd) {
        int _ = EPoll.ctl(epoll, EPoll.EPOLL_CTL_DEL, fd, 0);
    }

    /**
     * Whether at least {@code count} descriptors other than {@code except} are ready now. Takes no
     * direct memory.
     *
     * @param except -1 = none
     */
    public boolean epollReady(int epoll, int count, int except) throws IOException {
        int most = except < 0 ? count : count + 1;
        long events = EPoll.allocatePollArray(most);
        try {
            int ready = EPoll.wait(epoll, events, most, 0);
            int others = ready;
            for (int i = 0; except >= 0 && i < ready; i++) {
                if (EPoll.getDescriptor(EPoll.getEvent(events, i)) == except) {
                    others--;
                }
            }
            return others >= count;
        } finally {
            EPoll.freePollArray(events);
        }
    }

    /** Opens an eventfd that is readable and stays so. */
    public int readableEventFd() throws IOException {
        EventFD event = new EventFD();
        boolean complete = false;
        try {
            event.set();
            complete = true;
        } finally {
            if (!complete) {
                event.close();
            }
        }
        return event.efd();
    }

    public void close(int fd) throws IOException {
        UnixFileDispatcherImpl.closeIntFD(fd);
    }

    // --- buffers ---

    /**
     * Keeps the arena of a buffer open until {@link #release}. Throws what the JDK throws for a
     * buffer of a closed arena, or of one confined to another thread.
     *
     * @param anyThread whether threads other than this one may use and release the buffer
     * @return false if there is nothing to release
     */
    public boolean hold(ByteBuffer buffer, boolean anyThread) {
        if (!buffer.isDirect()) {
            return false; // an array of the heap, which no arena frees
        }
        IOUtil.acquireScope(buffer, anyThread);
        return true;
    }

    public void release(ByteBuffer buffer) {
        IOUtil.releaseScope(buffer);
    }

    // --- selectors ---

    /** Makes the key's selector ask the channel for its interest again, before it next waits. */
    public void queueUpdate(SelectionKey key) {
        ((SelectorImpl) key.selector()).setEventOps((SelectionKeyImpl) key);
    }

    /**
     * Returns the events that the selector's epoll watches the key's channel for; 0 = the channel
     * is not in it.
     */
    public int registeredEvents(SelectionKey key) {
        return ((SelectionKeyImpl) key).registeredEvents();
    }

    public void registeredEvents(SelectionKey key, int events) {
        ((SelectionKeyImpl) key).registeredEvents(events);
    }
}
