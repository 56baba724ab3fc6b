package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sdp4j.fabric.FabricException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
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

    // structs that the library owns
    static final StructLayout MR =
            CStruct.of("ibv_mr", "context 8 pd 8 addr 8 length 8 handle 4 lkey 4 rkey 4");
    static final StructLayout COMP_CHANNEL =
            CStruct.of("ibv_comp_channel", "context 8 fd 4 refcnt 4");

    /** The beginning of the struct, where the library keeps the state of the queue pair. */
    static final StructLayout QP = CStruct.of("ibv_qp", "-56 state 4");

    /**
     * State of a queue pair that can receive, in which the connection manager knows the peer's
     * answer.
     */
    static final int READY_TO_RECEIVE = 2;

    private static final long LKEY = CStruct.offset(MR, "lkey");
    private static final long RKEY = CStruct.offset(MR, "rkey");
    private static final long COMP_CHANNEL_FD = CStruct.offset(COMP_CHANNEL, "fd");
    private static final long QP_STATE = CStruct.offset(QP, "state");

    private static final String CURE =
            "install it (Debian, Ubuntu: apt install libibverbs1 ibverbs-providers; Fedora, RHEL:"
                    + " dnf install libibverbs)";

    private final Bindings lib = new Bindings("libibverbs.so.1", CURE);
    private final MethodHandle getDeviceList = lib.bind("ibv_get_device_list", 1);
    private final MethodHandle freeDeviceList = lib.bind("ibv_free_device_list", 1);
    private final MethodHandle queryDevice = lib.bind("ibv_query_device", 2);
    private final MethodHandle allocPd = lib.bind("ibv_alloc_pd", 1);
    private final MethodHandle deallocPd = lib.bind("ibv_dealloc_pd", 1);
    private final MethodHandle regMr = lib.bind("ibv_reg_mr", 4);
    private final MethodHandle deregMr = lib.bind("ibv_dereg_mr", 1);
    private final MethodHandle createCompChannel = lib.bind("ibv_create_comp_channel", 1);
    private final MethodHandle destroyCompChannel = lib.bind("ibv_destroy_comp_channel", 1);
    private final MethodHandle createCq = lib.bind("ibv_create_cq", 5);
    private final MethodHandle destroyCq = lib.bind("ibv_destroy_cq", 1);
    private final MethodHandle getCqEvent =
            lib.bindPlain(
                    "ibv_get_cq_event",
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private final MethodHandle ackCqEvents =
            lib.bindPlain("ibv_ack_cq_events", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
    private final MethodHandle getAsyncEvent = lib.bind("ibv_get_async_event", 2);
    private final MethodHandle ackAsyncEvent = lib.bind("ibv_ack_async_event", 1);

    Ibv() throws FabricException {}

    /** Returns a list of the devices, which must be freed; its length is in {@code count}. */
    long getDeviceList(MemorySegment count) {
        return Bindings.pointer(getDeviceList, count.address());
    }

    void freeDeviceList(long list) {
        Bindings.status(freeDeviceList, list);
    }

    int queryDevice(long context, MemorySegment attr) {
        return Bindings.negated(queryDevice, context, attr.address());
    }

    long allocPd(long context) {
        return Bindings.pointer(allocPd, context);
    }

    int deallocPd(long pd) {
        return Bindings.negated(deallocPd, pd);
    }

    long regMr(long pd, MemorySegment memory, int access) {
        return Bindings.pointer(regMr, pd, memory.address(), memory.byteSize(), access);
    }

    static int lkey(long mr) {
        return Bindings.at(mr, MR).get(JAVA_INT, LKEY);
    }

    static int rkey(long mr) {
        return Bindings.at(mr, MR).get(JAVA_INT, RKEY);
    }

    int deregMr(long mr) {
        return Bindings.negated(deregMr, mr);
    }

    long createCompChannel(long context) {
        return Bindings.pointer(createCompChannel, context);
    }

    static int compChannelFd(long channel) {
        return Bindings.at(channel, COMP_CHANNEL).get(JAVA_INT, COMP_CHANNEL_FD);
    }

    int destroyCompChannel(long channel) {
        return Bindings.negated(destroyCompChannel, channel);
    }

    long createCq(long context, int entries, long channel) {
        return Bindings.pointer(createCq, context, entries, 0, channel, 0);
    }

    int destroyCq(long cq) {
        return Bindings.negated(destroyCq, cq);
    }

    static int qpState(long qp) {
        return Bindings.at(qp, QP).get(JAVA_INT, QP_STATE);
    }

    /**
     * Takes a completion event. Allocates nothing.
     *
     * @param out address of two words; the first gets the address of the event's queue
     * @return false if there is none, or a signal ended the wait
     */
    boolean getCqEvent(long channel, long out) {
        try {
            return (int) getCqEvent.invokeExact(channel, out, out + 8) == 0;
        } catch (Error e) { // a full stack
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Allocates nothing. */
    void ackCqEvents(long cq, int count) {
        try {
            ackCqEvents.invokeExact(cq, count);
        } catch (Error e) { // a full stack
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    boolean getAsyncEvent(long context, MemorySegment out) {
        return Bindings.status(getAsyncEvent, context, out.address()) == 0;
    }

    void ackAsyncEvent(MemorySegment event) {
        Bindings.status(ackAsyncEvent, event.address());
    }
}
