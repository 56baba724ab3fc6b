package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.net.SocketException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import jdk.internal.access.SharedSecrets;
import sun.nio.ch.IOUtil;

/**
 * Access to the JDK's internals that sockets need. Stateless; every method is safe for any thread.
 *
 * <p>Call {@link #selfTest} once before anything else. If it returns a reason, no other method of
 * this package may be used, and the application must run on plain kernel sockets.
 */
public final class JdkBridge {
    /** {@code POLLIN} and {@code EPOLLIN} of Linux, which the JDK's methods expect. */
    public static final int POLLIN = 1;

    private static final int SOL_SOCKET = 1;
    private static final int SO_ERROR = 4;
    private static final int ECONNRESET = 104;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;
    private static final int TCP_ESTABLISHED = 1;
    private static final int TCP_FIN_WAIT1 = 4;
    private static final int TCP_FIN_WAIT2 = 5;

    /** Longest time between two descriptors that an ending process closes; usually microseconds. */
    private static final long ENDING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

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

    /** Returns a lookup with access to the private members of a class of the JDK. */
    static Lookup in(String className) throws ReflectiveOperationException {
        return MethodHandles.privateLookupIn(
                Class.forName(className, false, null), MethodHandles.lookup());
    }

    private static Optional<String> lookUp() {
        Optional<String> problem = problemOf(JdkClasses.class);
        return problem.isPresent() ? problem : problemOf(PrivateNatives.class);
    }

    /** Returns why {@code handles} cannot be initialised, as one sentence; empty when it can. */
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
    static boolean usable() {
        return Tested.PROBLEM.isEmpty();
    }

    /**
     * Enables native access for a module of our own loader, as {@code --enable-native-access}
     * would. Modules of other loaders are refused, as other code can call this method, too.
     *
     * @throws IllegalStateException if the JDK has no such way or does not let this module use it
     */
    public static void enableNativeAccess(Module module) {
        if (module.getClassLoader() != JdkBridge.class.getClassLoader()) {
            throw new IllegalArgumentException(module + " is not ours");
        }
        try {
            Module _ = SharedSecrets.getJavaLangAccess().addEnableNativeAccess(module);
        } catch (LinkageError | RuntimeException t) {
            throw new IllegalStateException("cannot enable native access for " + module, t);
        }
    }

    /**
     * Parks a virtual thread in the JDK's poller until a descriptor is readable, the thread is
     * unparked or interrupted, or the time is over. For each descriptor only one thread may wait at
     * a time.
     *
     * @param nanos upper bound; {@link Long#MAX_VALUE} = none
     * @throws IOException if the poller does not take the descriptor
     */
    public static void parkVirtual(int fdVal, long nanos) throws IOException {
        JdkClasses.CHANNELS.park(fdVal, POLLIN, nanos == Long.MAX_VALUE ? 0 : nanos, () -> true);
    }

    /**
     * Whether the peer of a kernel's socket has reset it, and no call has been told yet. Takes the
     * error that the kernel holds for the socket; a closed socket has none. If the peer's process
     * is ending, {@link #awaitEnd} comes first, as it closes one descriptor after the other.
     */
    public static boolean takeReset(FileDescriptor fd) throws IOException {
        try {
            return PrivateNatives.option(fd, SOL_SOCKET, SO_ERROR) == ECONNRESET;
        } catch (SocketException closed) {
            return false;
        }
    }

    /**
     * Resets a TCP connection at once, even while another process has a copy of the descriptor. The
     * effect is that of closing the last descriptor with a linger time of 0, but the descriptor
     * stays.
     */
    public static void reset(FileDescriptor fd) {
        try {
            PrivateNatives.disconnect(fd);
        } catch (IOException e) {
            // the socket is closed, or the system refuses: then closing resets it
        }
    }

    /**
     * Waits, for a moment at most, until this host knows the end of a TCP connection at its peer.
     * If the input was shut on this side, no event of poll shows that end, so this asks for the TCP
     * state. Called without a lock that a close waits for.
     */
    public static void awaitEnd(FileDescriptor fd) throws IOException {
        long start = System.nanoTime();
        Thread current = Thread.currentThread();
        try {
            while (fd.valid() && peerOpen(fd) && System.nanoTime() - start < ENDING_NANOS) {
                // poll would pin a virtual thread, but one that is interrupted does not park
                if (current.isVirtual() && !current.isInterrupted()) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                } else {
                    int _ = JdkClasses.CHANNELS.poll(fd, 0, 1); // a reset ends it
                }
            }
        } catch (SocketException closed) {
            // the number stands for no socket any more
        }
    }

    private static boolean peerOpen(FileDescriptor fd) throws IOException {
        int info = PrivateNatives.option(fd, IPPROTO_TCP, TCP_INFO);
        int state = info & 0xff; // the first byte of struct tcp_info
        return state == TCP_ESTABLISHED || state == TCP_FIN_WAIT1 || state == TCP_FIN_WAIT2;
    }

    /**
     * Opens an epoll descriptor.
     *
     * @param watched a descriptor to watch for being readable; -1 = none
     * @param more a descriptor to add, but to watch for no event yet
     */
    static int epollOf(int watched, int more) throws IOException {
        int epoll = JdkClasses.CHANNELS.epollCreate();
        int failed = JdkClasses.CHANNELS.epollAdd(epoll, more, 0);
        if (failed == 0 && watched >= 0) {
            failed = JdkClasses.CHANNELS.epollAdd(epoll, watched, POLLIN);
        }
        if (failed != 0) {
            JdkClasses.CHANNELS.close(epoll);
            throw new IOException("epoll_ctl failed with errno " + failed);
        }
        return epoll;
    }

    /**
     * Returns the number of a descriptor. Null is checked for here, as the JDK's own native method
     * does not survive it.
     */
    public static int value(FileDescriptor fd) {
        return IOUtil.fdVal(Objects.requireNonNull(fd));
    }
}
