package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: every struct has its fields where C has them, on both architectures. Method: compare with
 * the tables that {@code src/test/native/layout-table} makes with C compilers from the headers.
 */
class LayoutTest {
    /** Structs that we allocate, or read whole: their size counts as well. */
    private static final List<StructLayout> WHOLE =
            List.of(
                    IbvWc.LAYOUT,
                    IbvSge.LAYOUT,
                    IbvSendWr.LAYOUT,
                    IbvRecvWr.LAYOUT,
                    IbvQpInitAttr.LAYOUT,
                    IbvDeviceAttr.LAYOUT,
                    Ibv.MR,
                    Ibv.COMP_CHANNEL,
                    IbvAsyncEvent.LAYOUT,
                    RdmaCm.EVENT_CHANNEL,
                    RdmaConnParam.LAYOUT,
                    RdmaCmEvent.LAYOUT,
                    SockAddr.IN,
                    SockAddr.IN6);

    /** Structs that the library owns and of which we know the beginning. */
    private static final List<StructLayout> BEGINNINGS =
            List.of(IbvContext.LAYOUT, IbvDevice.LAYOUT, Ibv.QP, RdmaCmId.LAYOUT);

    private record Place(long offset, long size) {}

    @ParameterizedTest
    @ValueSource(strings = {"x86-64", "aarch64"})
    void everyFieldIsWhereCHasIt(String architecture) throws IOException {
        Map<String, Place> table = table(architecture);
        List<String> checked = new ArrayList<>();
        for (StructLayout s : WHOLE) {
            assertEquals(table.get(s.name().orElseThrow()), new Place(0, s.byteSize()));
            check(table, s, s, s.name().orElseThrow(), List.of(), checked);
        }
        for (StructLayout s : BEGINNINGS) {
            assertTrue(table.get(s.name().orElseThrow()).size >= s.byteSize());
            check(table, s, s, s.name().orElseThrow(), List.of(), checked);
        }
        List<String> structs = new ArrayList<>();
        WHOLE.forEach(s -> structs.add(s.name().orElseThrow()));
        BEGINNINGS.forEach(s -> structs.add(s.name().orElseThrow()));
        checked.addAll(structs);
        List<String> unknown = new ArrayList<>(table.keySet());
        unknown.removeAll(checked);
        assertEquals(List.of(), unknown, "fields of the table that no layout has");
    }

    /** Their fields are read by name. */
    @Test
    void aContextIsPlausibleOnlyWithAllOfItsVerbs() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment c = arena.allocate(IbvContext.LAYOUT);
            assertFalse(IbvContext.plausible(c));
            c.set(JAVA_LONG, CStruct.offset(IbvContext.LAYOUT, "device"), 1);
            c.set(JAVA_INT, CStruct.offset(IbvContext.LAYOUT, "num_comp_vectors"), 1);
            c.set(JAVA_INT, CStruct.offset(IbvContext.LAYOUT, "cmd_fd"), 3);
            c.set(JAVA_INT, CStruct.offset(IbvContext.LAYOUT, "async_fd"), 4);
            long verb = 0;
            for (String name : List.of("poll_cq", "req_notify_cq", "post_send", "post_recv")) {
                assertFalse(IbvContext.plausible(c), name);
                c.set(JAVA_LONG, CStruct.offset(IbvContext.LAYOUT, "ops", name), ++verb);
                assertEquals(verb, IbvContext.verb(c, name).address());
            }
            assertTrue(IbvContext.plausible(c));
            assertEquals(1, IbvContext.device(c));
            assertEquals(3, IbvContext.cmdFd(c));
            assertEquals(4, IbvContext.asyncFd(c));
            c.set(JAVA_INT, CStruct.offset(IbvContext.LAYOUT, "cmd_fd"), -1);
            assertFalse(IbvContext.plausible(c));
            assertNotNull(new DataPathVerbs(c), "knows the names");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "vendor_id",
                "max_qp_wr",
                "max_cqe",
                "max_qp_rd_atom",
                "max_qp_init_rd_atom"
            })
    void aDevicesNumbersAreFoundByName(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(IbvDeviceAttr.LAYOUT);
            attr.set(JAVA_INT, CStruct.offset(IbvDeviceAttr.LAYOUT, name), 7);
            assertEquals(7, IbvDeviceAttr.get(attr, name));
        }
    }

    @Test
    void aDeviceTellsItsNamesAndItsTransport() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment d = arena.allocate(IbvDevice.LAYOUT);
            d.setString(CStruct.offset(IbvDevice.LAYOUT, "name"), "siw0");
            d.setString(CStruct.offset(IbvDevice.LAYOUT, "dev_name"), "uverbs0");
            assertEquals("siw0", IbvDevice.name(d));
            assertEquals("uverbs0", IbvDevice.devName(d));
            assertFalse(IbvDevice.iwarp(d));
            d.set(JAVA_INT, CStruct.offset(IbvDevice.LAYOUT, "transport_type"), 1);
            assertTrue(IbvDevice.iwarp(d));
        }
    }

    private static void check(
            Map<String, Place> table,
            StructLayout whole,
            GroupLayout group,
            String name,
            List<PathElement> path,
            List<String> checked) {
        for (MemoryLayout m : group.memberLayouts()) {
            if (m instanceof PaddingLayout) {
                continue;
            }
            String field = m.name().orElseThrow();
            List<PathElement> at = new ArrayList<>(path);
            at.add(PathElement.groupElement(field));
            String full = name + "." + field;
            Place c = table.get(full);
            assertNotEquals(null, c, full + " is not in the table");
            long offset = whole.byteOffset(at.toArray(PathElement[]::new));
            assertEquals(c, new Place(offset, m.byteSize()), full);
            checked.add(full);
            if (m instanceof GroupLayout inner) {
                check(table, whole, inner, full, at, checked);
            }
        }
    }

    private static Map<String, Place> table(String architecture) throws IOException {
        Map<String, Place> table = new HashMap<>();
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(
                                LayoutTest.class.getResourceAsStream(
                                        "layout-" + architecture + ".txt"),
                                StandardCharsets.US_ASCII))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] word = line.split(" ", -1);
                table.put(word[0], new Place(Long.parseLong(word[1]), Long.parseLong(word[2])));
            }
        }
        return table;
    }
}
