package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sdp4j.fabric.FabricException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The connection manager, {@code librdmacm.so.1}. Results are 0, an address, or {@code -errno}.
 * Thread-safe.
 *
 * <p>These calls can block: {@link #resolveRoute} where ibacm runs (docs/verbs.md 4); {@link
 * #connect} on iWARP, because the software driver sets up the whole TCP connection in it; {@link
 * #destroyId} until every event that was fetched for the id is acknowledged; and on iWARP, after
 * {@link #connect} or {@link #accept}, {@link #disconnect}, {@link #destroyQp} and {@link
 * #destroyId} until the peer has answered or the device has given up. All others return at once.
 *
 * <p>Source: rdma/rdma_cma.h, rdma-core 44.
 */
final class RdmaCm {
    private static final String CURE =
            "install it (Debian, Ubuntu: apt install librdmacm1 ibverbs-providers; Fedora, RHEL:"
                    + " dnf install librdmacm libibverbs)";

    /**
     * {@code RDMA_PS_IB}: reliable queue pairs in a port space of their own, with service ids that
     * Wireshark takes for those of SDP.
     */
    private static final int PS_IB = 0x13F;

    private static final int OPTION_ID = 0;
    private static final int OPTION_AFONLY = 2;

    /** {@code IBV_EVENT_COMM_EST}. */
    private static final int COMMUNICATION_ESTABLISHED = 4;

    /** {@code struct rdma_event_channel}, owned by the library. */
    static final StructLayout EVENT_CHANNEL = CStruct.of("rdma_event_channel", "fd 4");

    private static final long EVENT_CHANNEL_FD = CStruct.offset(EVENT_CHANNEL, "fd");

    private final Bindings lib;
    private final MethodHandle createEventChannel = lib.bind("rdma_create_event_channel", 0);
    private final MethodHandle destroyEventChannel = lib.bind("rdma_destroy_event_channel", 1);
    private final MethodHandle createId = lib.bind("rdma_create_id", 4);
    private final MethodHandle destroyId = lib.bind("rdma_destroy_id", 1);
    private final MethodHandle bindAddr = lib.bind("rdma_bind_addr", 2);
    private final MethodHandle listen = lib.bind("rdma_listen", 2);
    private final MethodHandle resolveAddr = lib.bind("rdma_resolve_addr", 4);
    private final MethodHandle resolveRoute = lib.bind("rdma_resolve_route", 2);
    private final MethodHandle createQp = lib.bind("rdma_create_qp", 3);
    private final MethodHandle destroyQp = lib.bind("rdma_destroy_qp", 1);
    private final MethodHandle connect = lib.bind("rdma_connect", 2);
    private final MethodHandle accept = lib.bind("rdma_accept", 2);
    private final MethodHandle reject = lib.bind("rdma_reject", 3);
    private final MethodHandle disconnect = lib.bind("rdma_disconnect", 1);
    private final MethodHandle notify = lib.bind("rdma_notify", 2);
    private final MethodHandle getEvent = lib.bind("rdma_get_cm_event", 2);
    private final MethodHandle ackEvent = lib.bind("rdma_ack_cm_event", 1);
    private final MethodHandle migrateId = lib.bind("rdma_migrate_id", 2);
    private final MethodHandle setOption = lib.bind("rdma_set_option", 5);
    private final MethodHandle getDevices = lib.bind("rdma_get_devices", 1);
    private final MethodHandle freeDevices = lib.bind("rdma_free_devices", 1);

    RdmaCm() throws FabricException {
        this(new Bindings("librdmacm.so.1", CURE));
    }

    /**
     * @param lib another one in tests
     */
    RdmaCm(Bindings lib) throws FabricException {
        this.lib = lib; // first: the functions are found in it
        super();
    }

    /**
     * Lets the library look which devices there are. Only then does it close a device that was
     * removed, or, if ids still use the device, with the last of them.
     *
     * @return contexts of the devices that are there; null if the library could not look, for
     *     example because there is no device at all
     */
    Set<Long> refreshDevices() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            long list = Bindings.pointer(getDevices, count.address());
            if (list <= 0) {
                return null;
            }
            Set<Long> there = pointers(list, count.get(JAVA_INT, 0));
            Bindings.status(freeDevices, list);
            return there;
        }
    }

    /** The addresses in a list of the library's. */
    static Set<Long> pointers(long list, int count) {
        MemorySegment all = Bindings.at(list, MemoryLayout.sequenceLayout(count, JAVA_LONG));
        return LongStream.of(all.toArray(JAVA_LONG)).boxed().collect(Collectors.toSet());
    }

    long createEventChannel() {
        return Bindings.pointer(createEventChannel);
    }

    static int eventChannelFd(long channel) {
        return Bindings.at(channel, EVENT_CHANNEL).get(JAVA_INT, EVENT_CHANNEL_FD);
    }

    void destroyEventChannel(long channel) {
        Bindings.status(destroyEventChannel, channel);
    }

    /** Makes an id for one connection or listener. Returns its address. */
    long createId(long channel) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            int r = Bindings.status(createId, channel, out.address(), 0, PS_IB);
            return r < 0 ? r : out.get(JAVA_LONG, 0);
        }
    }

    int destroyId(long id) {
        return Bindings.status(destroyId, id);
    }

    /** Moves an id and its events that were not taken yet to another channel. */
    int migrateId(long id, long channel) {
        return Bindings.status(migrateId, id, channel);
    }

    /** Keeps a listener on an IPv6 wildcard from also taking IPv4. */
    int onlyOwnFamily(long id) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocateFrom(JAVA_INT, 1);
            return Bindings.status(setOption, id, OPTION_ID, OPTION_AFONLY, one.address(), 4);
        }
    }

    int bindAddr(long id, MemorySegment address) {
        return Bindings.status(bindAddr, id, address.address());
    }

    /**
     * @param backlog most requests that may wait to be fetched
     */
    int listen(long id, int backlog) {
        return Bindings.status(listen, id, backlog);
    }

    /**
     * @param source source address; a null pointer = the route decides
     */
    int resolveAddr(long id, MemorySegment source, MemorySegment destination, int timeoutMillis) {
        return Bindings.status(
                resolveAddr, id, source.address(), destination.address(), timeoutMillis);
    }

    int resolveRoute(long id, int timeoutMillis) {
        return Bindings.status(resolveRoute, id, timeoutMillis);
    }

    int createQp(long id, long pd, MemorySegment initAttr) {
        return Bindings.status(createQp, id, pd, initAttr.address());
    }

    void destroyQp(long id) {
        Bindings.status(destroyQp, id);
    }

    int connect(long id, MemorySegment connParam) {
        return Bindings.status(connect, id, connParam.address());
    }

    int accept(long id, MemorySegment connParam) {
        return Bindings.status(accept, id, connParam.address());
    }

    int reject(long id, byte[] data) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment d = arena.allocateFrom(JAVA_BYTE, data);
            return Bindings.status(reject, id, d.address(), data.length);
        }
    }

    /**
     * Tells the kernel that the peer of an accepted id has sent something, in place of the RTU. The
     * kernel then says that the connection is established. Has no effect on any other id.
     */
    void notifyEstablished(long id) {
        Bindings.status(notify, id, COMMUNICATION_ESTABLISHED);
    }

    /**
     * Puts the queue pair into error and tells the peer, or answers the peer's disconnect. May
     * block on iWARP: see the class comment.
     */
    int disconnect(long id) {
        return Bindings.status(disconnect, id);
    }

    /**
     * An event that was fetched.
     *
     * @param at address of the event
     * @param errno errno after the fetch: why the library's own step failed, if it did
     */
    record Fetched(long at, int errno) {}

    /**
     * Fetches the next event, which must be acknowledged. Null if there is none, or if the
     * channel's descriptor blocks and a signal ended the wait. The library also does its own steps
     * here, such as making a connected queue pair ready.
     */
    Fetched nextEvent(long channel) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            int errno = Bindings.errno(getEvent, channel, out.address());
            long at = out.get(JAVA_LONG, 0); // set by a call that succeeds
            return at == 0 ? null : new Fetched(at, errno);
        }
    }

    /** Frees an event; a thread that waits in {@link #destroyId} of its id goes on. */
    void ackEvent(long event) {
        Bindings.status(ackEvent, event);
    }
}
