package io.sdp4j.offload.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.SocketAddress;

/**
 * The JDK's own events of the flight recorder, {@code jdk.SocketRead} and {@code jdk.SocketWrite},
 * for connections that the JDK does not see (behaviour 90). Stateless; costs nothing while no tool
 * records, or where {@code jdk.internal.event} is not exported to this module: then nothing is
 * told.
 */
public final class SocketEvents {
    /** The start of an operation that is not recorded. */
    public static final long OFF = Long.MIN_VALUE;

    private static final MethodHandle READ_ENABLED;
    private static final MethodHandle READ_TIME;
    private static final MethodHandle READ;
    private static final MethodHandle WRITE_ENABLED;
    private static final MethodHandle WRITE_TIME;
    private static final MethodHandle WRITE;

    static {
        MethodHandle[] reads = {never(), null, null};
        MethodHandle[] writes = {never(), null, null};
        try {
            MethodHandle[] foundReads = find("SocketReadEvent", long.class);
            MethodHandle[] foundWrites = find("SocketWriteEvent");
            reads = foundReads;
            writes = foundWrites;
        } catch (ReflectiveOperationException | LinkageError e) {
            // no access, or another JDK: nothing is told
        }
        READ_ENABLED = reads[0];
        READ_TIME = reads[1];
        READ = reads[2];
        WRITE_ENABLED = writes[0];
        WRITE_TIME = writes[1];
        WRITE = writes[2];
    }

    private SocketEvents() {}

    private static MethodHandle never() {
        return MethodHandles.constant(boolean.class, false);
    }

    /** {@code enabled()}, {@code timestamp()} and {@code offer(start, bytes, remote, ...)}. */
    private static MethodHandle[] find(String name, Class<?>... more)
            throws ReflectiveOperationException {
        MethodHandles.Lookup own = MethodHandles.lookup();
        Class<?> event = Class.forName("jdk.internal.event." + name, false, null);
        return new MethodHandle[] {
            own.findStatic(event, "enabled", MethodType.methodType(boolean.class)),
            own.findStatic(event, "timestamp", MethodType.methodType(long.class)),
            own.findStatic(
                    event,
                    "offer",
                    MethodType.methodType(void.class, long.class, long.class, SocketAddress.class)
                            .appendParameterTypes(more))
        };
    }

    /** When a read begins; {@link #OFF} if it is not to be recorded. */
    public static long readStart() {
        try {
            return (boolean) READ_ENABLED.invokeExact() ? (long) READ_TIME.invokeExact() : OFF;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** When a write begins; {@link #OFF} if it is not to be recorded. */
    public static long writeStart() {
        try {
            return (boolean) WRITE_ENABLED.invokeExact() ? (long) WRITE_TIME.invokeExact() : OFF;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * A read is over.
     *
     * @param bytes -1 at the end of the stream
     */
    public static void read(long start, long bytes, SocketAddress remote, long timeoutMillis) {
        try {
            READ.invokeExact(start, bytes, remote, timeoutMillis);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** A write is over. */
    public static void written(long start, long bytes, SocketAddress remote) {
        try {
            WRITE.invokeExact(start, bytes, remote);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}
