package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import jdk.internal.access.SharedSecrets;

/**
 * The way to the JDK's internals. Stateless; every method is safe for any thread.
 *
 * <p>Call {@link #selfTest} once before anything else: when it names a reason, no other method may
 * be used, and the application is to run on plain kernel sockets.
 */
public final class JdkBridge {
    /** {@code POLLIN} of Linux, which the JDK's poll methods expect. */
    public static final int POLLIN = 1;

    private static final int SOL_SOCKET = 1;
    private static final int SO_ERROR = 4;
    private static final int ECONNRESET = 104;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;
    private static final int TCP_ESTABLISHED = 1;
    private static final int TCP_FIN_WAIT1 = 4;
    private static final int TCP_FIN_WAIT2 = 5;

    /** Longest between two descriptors that an ending process closes; usually microseconds. */
    private static final long ENDING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;
    private static final int EPOLLIN = 1;
    private static final int EPOLL_CTL_MOD = 3;

    private JdkBridge() {}

    /**
     * Looks up everything this package needs from the JDK. Opens no descriptor and starts no
     * thread. The answer is found once and stays.
     *
     * @return why the bridge cannot be used, as one sentence; empty when it can
     */
    public static Optional<String> selfTest() {
        return Tested.PROBLEM;
    }

    private static final class Tested {
        static final Optional<String> PROBLEM = lookUp();
    }

    private static Optional<String> lookUp() {
        Optional<String> problem = problemOf(SocketHandles.class);
        return problem.isPresent() ? problem : problemOf(PollHandles.class);
    }

    /** Why {@code handles} cannot be initialised, as one sentence; empty when it can. */
    static Optional<String> problemOf(Class<?> handles) {
        try {
            MethodHandles.lookup().ensureInitialized(handles);
            return Optional.empty();
        } catch (LinkageError | ReflectiveOperationException | RuntimeException e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            return Optional.of(
                    "this JDK ("
                            + Runtime.version()
                            + ") does not offer what the switch needs: "
                            + cause);
        }
    }

    /** Whether {@link #selfTest} finds nothing to complain about. */
    public static boolean usable() {
        return Tested.PROBLEM.isEmpty();
    }

    /** The implementation behind a socket; null before a lazily made one exists. */
    public static SocketImpl implOf(Socket s) {
        try {
            return (SocketImpl) SocketHandles.IMPL_OF_SOCKET.invokeExact(s);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** The implementation behind a listener. */
    public static SocketImpl implOf(ServerSocket s) {
        try {
            return (SocketImpl) SocketHandles.IMPL_OF_SERVER.invokeExact(s);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** The factory that {@code Socket} asks, or null. */
    public static SocketImplFactory clientFactory() {
        try {
            return (SocketImplFactory) SocketHandles.CLIENT_FACTORY.invokeExact();
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** The factory that {@code ServerSocket} asks, or null. */
    public static SocketImplFactory serverFactory() {
        try {
            return (SocketImplFactory) SocketHandles.SERVER_FACTORY.invokeExact();
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * Takes the factory of {@code ServerSocket} back, so that a half installation can be undone.
     */
    public static void removeServerFactory() {
        try {
            SocketHandles.SET_SERVER_FACTORY.invokeExact((SocketImplFactory) null);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * Enables native access for a module of our own layer, as {@code --enable-native-access} would;
     * others could call this, too.
     *
     * @throws IllegalStateException if the JDK has no such way or does not let this module use it
     */
    public static void enableNativeAccess(Module module) {
        ModuleLayer ours = JdkBridge.class.getModule().getLayer();
        if (ours == null || ours != module.getLayer()) {
            throw new IllegalArgumentException(module + " is not of this layer");
        }
        try {
            Module _ = SharedSecrets.getJavaLangAccess().addEnableNativeAccess(module);
        } catch (LinkageError | RuntimeException t) {
            throw new IllegalStateException("cannot enable native access for " + module, t);
        }
    }

    /**
     * Waits until a descriptor is readable. A virtual thread parks in the JDK's poller and comes
     * back at once when it is interrupted; a platform thread polls and does not notice.
     *
     * @param nanos upper bound; 0 or less = none
     * @param open whether to begin to wait at all, asked after a virtual thread has registered
     */
    static void park(FileDescriptor fd, int fdVal, long nanos, BooleanSupplier open)
            throws IOException {
        try {
            if (Thread.currentThread().isVirtual()) {
                PollHandles.POLLER_POLL.invokeExact(fdVal, POLLIN, Math.max(nanos, 0), open);
            } else {
                int _ = (int) PollHandles.NET_POLL.invokeExact(fd, POLLIN, ceilMillis(nanos));
            }
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    /** Never less than asked for, as the JDK's own sockets round; -1 = without bound. */
    private static long ceilMillis(long nanos) {
        if (nanos <= 0) {
            return -1;
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
        return nanos > TimeUnit.MILLISECONDS.toNanos(millis) ? millis + 1 : millis;
    }

    /** Whether a descriptor is readable now. */
    static boolean readable(FileDescriptor fd) throws IOException {
        try {
            return (int) PollHandles.NET_POLL.invokeExact(fd, POLLIN, 0L) != 0;
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    /**
     * Whether the peer of a kernel's socket has reset it, and no call has been told. Takes the
     * error that the kernel holds for the socket; a closed one has none.
     *
     * @param ends whether the peer's process ends, and closes one descriptor after the other: then
     *     this waits a moment for the socket's end
     */
    public static boolean takeReset(FileDescriptor fd, boolean ends) throws IOException {
        try {
            if (ends) {
                awaitEnd(fd);
            }
            int error = (int) PollHandles.INT_OPTION.invokeExact(fd, false, SOL_SOCKET, SO_ERROR);
            return error == ECONNRESET;
        } catch (SocketException closed) {
            return false;
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    /**
     * Resets a connection of TCP at once, as closing its last descriptor with a linger time of 0
     * does, also while another process has a copy of the descriptor. Only the descriptor is left.
     */
    public static void reset(FileDescriptor fd) {
        try {
            PollHandles.DISCONNECT.invokeExact(fd, true);
        } catch (IOException e) {
            // it is closed, or the system does not want it: then closing resets it
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * Waits until the peer's end of a TCP connection is known here, a moment at most. Where the
     * input was shut on this side that shows in no event of poll, so the state is asked for.
     */
    private static void awaitEnd(FileDescriptor fd) throws Throwable {
        long start = System.nanoTime();
        while (fd.valid() && peerOpen(fd) && System.nanoTime() - start < ENDING_NANOS) {
            int _ = (int) PollHandles.NET_POLL.invokeExact(fd, 0, 1L); // a reset ends it
        }
    }

    private static boolean peerOpen(FileDescriptor fd) throws Throwable {
        int info = (int) PollHandles.INT_OPTION.invokeExact(fd, false, IPPROTO_TCP, TCP_INFO);
        int state = info & 0xff; // the first byte of struct tcp_info
        return state == TCP_ESTABLISHED || state == TCP_FIN_WAIT1 || state == TCP_FIN_WAIT2;
    }

    /**
     * An epoll descriptor.
     *
     * @param watched for being readable; -1 = none
     * @param more for nothing yet, see {@link #epollWatch}
     */
    static int epollOf(int watched, int more) throws IOException {
        try {
            int epoll = (int) PollHandles.EPOLL_CREATE.invokeExact();
            int failed = (int) PollHandles.EPOLL_CTL.invokeExact(epoll, EPOLL_CTL_ADD, more, 0);
            if (failed == 0 && watched >= 0) {
                failed =
                        (int)
                                PollHandles.EPOLL_CTL.invokeExact(
                                        epoll, EPOLL_CTL_ADD, watched, EPOLLIN);
            }
            if (failed != 0) {
                closeDescriptor(epoll);
                throw new IOException("epoll_ctl failed with errno " + failed);
            }
            return epoll;
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    /** Begins or ends watching {@code fdVal}, which {@code epoll} has, for being readable. */
    static void epollWatch(int epoll, int fdVal, boolean readable) {
        int events = readable ? EPOLLIN : 0;
        try {
            int _ = (int) PollHandles.EPOLL_CTL.invokeExact(epoll, EPOLL_CTL_MOD, fdVal, events);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static void epollAdd(int epoll, int fdVal, int events) {
        try {
            int _ = (int) PollHandles.EPOLL_CTL.invokeExact(epoll, EPOLL_CTL_ADD, fdVal, events);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static void epollRemove(int epoll, int fdVal) {
        try {
            int _ = (int) PollHandles.EPOLL_CTL.invokeExact(epoll, EPOLL_CTL_DEL, fdVal, 0);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static void closeDescriptor(int fdVal) throws IOException {
        try {
            PollHandles.CLOSE_DESCRIPTOR.invokeExact(fdVal);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    static FileDescriptor descriptor(int fdVal) {
        try {
            return (FileDescriptor) PollHandles.NEW_DESCRIPTOR.invokeExact(fdVal);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    public static int value(FileDescriptor fd) {
        try {
            return (int) PollHandles.DESCRIPTOR_VALUE.invokeExact(fd);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}
