package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sdp4j.fabric.FabricException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The verbs of the set-up path, {@code libibverbs.so.1}. Results are 0, an address, or {@code
 * -errno}. Thread-safe. None of these waits for a peer; {@link #destroyCq} waits until every event
 * that was fetched is acknowledged.
 *
 * <p>Source: infiniband/verbs.h, rdma-core 44.
 */
final class Ibv {
    static final int ACCESS_LOCAL_WRITE = 1;
    static final int ACCESS_REMOTE_WRITE = 2;
    static final int ACCESS_REMOTE_READ = 4;

    private static final String CURE =
            "install it (Debian, Ubuntu: apt install libibverbs1 ibverbs-providers; Fedora, RHEL:"
                    + " dnf install libibverbs)";

    private final MethodHandle getDeviceList;
    private final MethodHandle freeDeviceList;
    private final MethodHandle queryDevice;
    private final MethodHandle allocPd;
    private final MethodHandle deallocPd;
    private final MethodHandle regMr;
    private final MethodHandle deregMr;
    private final MethodHandle createCompChannel;
    private final MethodHandle destroyCompChannel;
    private final MethodHandle createCq;
    private final MethodHandle destroyCq;
    private final MethodHandle getCqEvent;
    private final MethodHandle ackCqEvents;
    private final MethodHandle getAsyncEvent;
    private final MethodHandle ackAsyncEvent;

    Ibv() throws FabricException {
        Bindings b = new Bindings("libibverbs.so.1", CURE);
        getDeviceList = b.bind("ibv_get_device_list", JAVA_LONG, JAVA_LONG);
        freeDeviceList = b.bind("ibv_free_device_list", null, JAVA_LONG);
        queryDevice = b.bind("ibv_query_device", JAVA_INT, JAVA_LONG, JAVA_LONG);
        allocPd = b.bind("ibv_alloc_pd", JAVA_LONG, JAVA_LONG);
        deallocPd = b.bind("ibv_dealloc_pd", JAVA_INT, JAVA_LONG);
        regMr = b.bind("ibv_reg_mr", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
        deregMr = b.bind("ibv_dereg_mr", JAVA_INT, JAVA_LONG);
        createCompChannel = b.bind("ibv_create_comp_channel", JAVA_LONG, JAVA_LONG);
        destroyCompChannel = b.bind("ibv_destroy_comp_channel", JAVA_INT, JAVA_LONG);
        createCq =
                b.bind(
                        "ibv_create_cq",
                        JAVA_LONG,
                        JAVA_LONG,
                        JAVA_INT,
                        JAVA_LONG,
                        JAVA_LONG,
                        JAVA_INT);
        destroyCq = b.bind("ibv_destroy_cq", JAVA_INT, JAVA_LONG);
        getCqEvent = b.bindPlain("ibv_get_cq_event", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        ackCqEvents = b.bindPlain("ibv_ack_cq_events", null, JAVA_LONG, JAVA_INT);
        getAsyncEvent = b.bind("ibv_get_async_event", JAVA_INT, JAVA_LONG, JAVA_LONG);
        ackAsyncEvent = b.bind("ibv_ack_async_event", null, JAVA_LONG);
    }

    /** The devices there are: a list to be freed, its length in {@code count}. */
    long getDeviceList(MemorySegment count) {
        return Bindings.pointer(s -> (long) getDeviceList.invokeExact(s, count.address()));
    }

    void freeDeviceList(long list) {
        Bindings.run(s -> freeDeviceList.invokeExact(s, list));
    }

    int queryDevice(long context, MemorySegment attr) {
        return Bindings.negated(s -> (int) queryDevice.invokeExact(s, context, attr.address()));
    }

    long allocPd(long context) {
        return Bindings.pointer(s -> (long) allocPd.invokeExact(s, context));
    }

    int deallocPd(long pd) {
        return Bindings.negated(s -> (int) deallocPd.invokeExact(s, pd));
    }

    long regMr(long pd, MemorySegment memory, int access) {
        return Bindings.pointer(
                s -> (long) regMr.invokeExact(s, pd, memory.address(), memory.byteSize(), access));
    }

    int deregMr(long mr) {
        return Bindings.negated(s -> (int) deregMr.invokeExact(s, mr));
    }

    long createCompChannel(long context) {
        return Bindings.pointer(s -> (long) createCompChannel.invokeExact(s, context));
    }

    int destroyCompChannel(long channel) {
        return Bindings.negated(s -> (int) destroyCompChannel.invokeExact(s, channel));
    }

    long createCq(long context, int entries, long channel) {
        return Bindings.pointer(
                s -> (long) createCq.invokeExact(s, context, entries, 0L, channel, 0));
    }

    int destroyCq(long cq) {
        return Bindings.negated(s -> (int) destroyCq.invokeExact(s, cq));
    }

    /**
     * Takes a completion event. Allocates nothing.
     *
     * @param out address of two words; the first gets the address of the event's queue
     * @return false if there is none, or the wait for it was interrupted
     */
    boolean getCqEvent(long channel, long out) {
        try {
            return (int) getCqEvent.invokeExact(channel, out, out + 8) == 0;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Allocates nothing. */
    void ackCqEvents(long cq, int count) {
        try {
            ackCqEvents.invokeExact(cq, count);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    boolean getAsyncEvent(long context, MemorySegment out) {
        return Bindings.status(s -> (int) getAsyncEvent.invokeExact(s, context, out.address()))
                == 0;
    }

    void ackAsyncEvent(MemorySegment event) {
        Bindings.run(s -> ackAsyncEvent.invokeExact(s, event.address()));
    }
}
