package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The beginning of {@code struct ibv_device}. Owned by the library (infiniband/verbs.h, rdma-core
 * 44).
 */
final class IbvDevice {
    static final StructLayout LAYOUT =
            CStruct.of("ibv_device", "-16 node_type 4 transport_type 4 name 64x1 dev_name 64x1");
    private static final int TRANSPORT_IWARP = 1;

    private IbvDevice() {}

    /** Whether the device speaks iWARP. All others, also RoCE, report InfiniBand. */
    static boolean iwarp(MemorySegment d) {
        return d.get(JAVA_INT, CStruct.offset(LAYOUT, "transport_type")) == TRANSPORT_IWARP;
    }

    /** Returns the device's name, such as {@code mlx5_0}. */
    static String name(MemorySegment d) {
        return d.getString(CStruct.offset(LAYOUT, "name"));
    }

    /** Returns the name of its character device, such as {@code uverbs0}. */
    static String devName(MemorySegment d) {
        return d.getString(CStruct.offset(LAYOUT, "dev_name"));
    }

    /** Whether this host has a device that speaks iWARP. */
    static boolean anyIwarp(Ibv ibv) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            long list = ibv.getDeviceList(count);
            if (list < 0) {
                return false;
            }
            boolean found =
                    RdmaCm.pointers(list, count.get(JAVA_INT, 0)).stream()
                            .anyMatch(device -> iwarp(Bindings.at(device, LAYOUT)));
            ibv.freeDeviceList(list);
            return found;
        }
    }
}
