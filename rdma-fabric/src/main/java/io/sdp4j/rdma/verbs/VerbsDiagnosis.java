package io.sdp4j.rdma.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sdp4j.rdma.FabricException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** What a machine offers the fabric, without using it. */
final class VerbsDiagnosis {
    private VerbsDiagnosis() {}

    /** Calls {@code visit} with each device's address. */
    private interface Visit {
        void device(long device);
    }

    private static int forEach(Ibv ibv, Visit visit) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            long list = ibv.getDeviceList(count);
            if (list < 0) {
                return 0;
            }
            try {
                int n = count.get(JAVA_INT, 0);
                MemorySegment devices =
                        Bindings.at(
                                list, java.lang.foreign.MemoryLayout.sequenceLayout(n, JAVA_LONG));
                for (int i = 0; i < n; i++) {
                    visit.device(devices.getAtIndex(JAVA_LONG, i));
                }
                return n;
            } finally {
                ibv.freeDeviceList(list);
            }
        }
    }

    /** Whether this host has a device whose listeners occupy TCP ports. */
    static boolean anyIwarp(Ibv ibv) {
        boolean[] found = new boolean[1];
        forEach(ibv, d -> found[0] |= IbvDevice.iwarp(Bindings.at(d, IbvDevice.LAYOUT)));
        return found[0];
    }

    static List<VerbsFabric.Fact> of() {
        List<VerbsFabric.Fact> facts = new ArrayList<>();
        Ibv ibv;
        try {
            ibv = new Ibv();
            RdmaCm cm = new RdmaCm();
            facts.add(new VerbsFabric.Fact("rdma libraries", true, "found"));
            long channel = cm.createEventChannel();
            if (channel < 0) {
                FabricException e = Failures.noChannel((int) channel);
                facts.add(new VerbsFabric.Fact("rdma devices", false, e.getMessage()));
                return facts;
            }
            cm.destroyEventChannel(channel);
        } catch (FabricException e) {
            facts.add(new VerbsFabric.Fact("rdma libraries", false, e.getMessage()));
            return facts;
        }
        int n = forEach(ibv, d -> describe(ibv, d, facts));
        if (n == 0) {
            facts.add(new VerbsFabric.Fact("rdma devices", false, "none"));
        }
        String limit = Failures.lockedLimit();
        boolean enough = !limit.matches("\\d{1,7}"); // below 10 MB hardly ten connections fit
        facts.add(
                new VerbsFabric.Fact(
                        "locked memory",
                        enough,
                        limit
                                + (enough
                                        ? ""
                                        : " bytes: raise it (ulimit -l, LimitMEMLOCK= of the"
                                                + " service)")));
        return facts;
    }

    private static void describe(Ibv ibv, long device, List<VerbsFabric.Fact> facts) {
        MemorySegment d = Bindings.at(device, IbvDevice.LAYOUT);
        String name = "rdma device " + IbvDevice.name(d);
        String kind = IbvDevice.iwarp(d) ? "iWARP" : "InfiniBand or RoCE";
        long context = ibv.openDevice(device);
        if (context < 0) {
            facts.add(
                    new VerbsFabric.Fact(
                            name,
                            false,
                            "cannot be opened: "
                                    + Failures.text((int) context)
                                    + "; give this user /dev/infiniband/uverbs*"));
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(IbvDeviceAttr.LAYOUT);
            MemorySegment port = arena.allocate(IbvPortAttr.LAYOUT);
            int ports = ibv.queryDevice(context, attr) == 0 ? IbvDeviceAttr.ports(attr) : 0;
            for (int i = 1; i <= ports; i++) {
                if (ibv.queryPort(context, i, port) == 0) {
                    String text =
                            kind
                                    + ", "
                                    + IbvPortAttr.linkLayer(port)
                                    + ", MTU "
                                    + IbvPortAttr.mtuBytes(port)
                                    + ", "
                                    + IbvPortAttr.stateText(port);
                    facts.add(
                            new VerbsFabric.Fact(
                                    name + " port " + i, IbvPortAttr.active(port), text));
                }
            }
        } finally {
            ibv.closeDevice(context);
        }
    }
}
