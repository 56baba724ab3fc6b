package io.sdp4j.fabric.verbs;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Lays out C structs as the 64-bit System V and AArch64 ABIs do: every member at the next multiple
 * of its alignment, the whole rounded up to the largest alignment.
 *
 * <p>What comes out is compared by {@code LayoutTest} with what a C compiler says of the installed
 * headers, for x86-64 and for AArch64.
 */
final class CStruct {
    private CStruct() {}

    /** The struct {@code name} with padding where C puts it. */
    static StructLayout of(String name, MemoryLayout... members) {
        List<MemoryLayout> padded = new ArrayList<>();
        long at = 0;
        long alignment = 1;
        for (MemoryLayout m : members) {
            at = pad(padded, at, m.byteAlignment());
            padded.add(m);
            at += m.byteSize();
            alignment = Math.max(alignment, m.byteAlignment());
        }
        pad(padded, at, alignment);
        return MemoryLayout.structLayout(padded.toArray(MemoryLayout[]::new)).withName(name);
    }

    private static long pad(List<MemoryLayout> members, long at, long alignment) {
        long gap = -at & (alignment - 1);
        if (gap > 0) {
            members.add(MemoryLayout.paddingLayout(gap));
        }
        return at + gap;
    }

    /** Offset of a member, or of a member of a member. */
    static long offset(StructLayout layout, String... path) {
        PathElement[] elements = new PathElement[path.length];
        for (int i = 0; i < path.length; i++) {
            elements[i] = PathElement.groupElement(path[i]);
        }
        return layout.byteOffset(elements);
    }

    /** Room for members that are not used here. */
    static MemoryLayout skip(long bytes) {
        return MemoryLayout.paddingLayout(bytes);
    }
}
