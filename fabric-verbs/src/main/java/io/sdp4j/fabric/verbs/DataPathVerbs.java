package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The verbs of the data path. They are inline functions in the header and have no symbols. Each
 * device's context has pointers to them, which are called through one method handle for each
 * signature.
 *
 * <p>Polling is {@code critical}: every provider reads memory under a spin lock. Some providers
 * enter the kernel, but only for a completion with an error (docs/verbs.md 9). Posting and asking
 * for an event are not {@code critical}, because they enter the kernel with software devices.
 * Nothing here allocates. Thread-safe, as the library is.
 *
 * <p>Source: infiniband/verbs.h, rdma-core 44.
 */
final class DataPathVerbs {
    private static final FunctionDescriptor POLL =
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);
    private static final FunctionDescriptor NOTIFY =
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final FunctionDescriptor POST =
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);

    private static final MethodHandle POLL_CQ = bind(POLL, Linker.Option.critical(false));
    private static final MethodHandle NOTIFY_CQ = bind(NOTIFY);
    private static final MethodHandle POST_WR = bind(POST);

    private final MemorySegment pollCq;
    private final MemorySegment notifyCq;
    private final MemorySegment postSend;
    private final MemorySegment postReceive;

    /** The verbs of one device. */
    DataPathVerbs(MemorySegment context) {
        pollCq = IbvContext.verb(context, "poll_cq");
        notifyCq = IbvContext.verb(context, "req_notify_cq");
        postSend = IbvContext.verb(context, "post_send");
        postReceive = IbvContext.verb(context, "post_recv");
    }

    @SuppressWarnings("restricted")
    private static MethodHandle bind(FunctionDescriptor d, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(d, options);
    }

    /** Returns the number of entries taken, or a negative number. */
    int poll(long cq, int max, long wcs) {
        try {
            return (int) POLL_CQ.invokeExact(pollCq, cq, max, wcs);
        } catch (Error e) { // a full stack
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Asks for one event at the next completion, or only at the next solicited or failed one. */
    int requestNotify(long cq, boolean solicitedOnly) {
        try {
            return (int) NOTIFY_CQ.invokeExact(notifyCq, cq, solicitedOnly ? 1 : 0);
        } catch (Error e) { // a full stack
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** 0, or an errno of either sign. */
    int postSend(long qp, long wr, long badWr) {
        try {
            return (int) POST_WR.invokeExact(postSend, qp, wr, badWr);
        } catch (Error e) { // a full stack
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** 0, or an errno of either sign. */
    int postReceive(long qp, long wr, long badWr) {
        try {
            return (int) POST_WR.invokeExact(postReceive, qp, wr, badWr);
        } catch (Error e) { // a full stack
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}
