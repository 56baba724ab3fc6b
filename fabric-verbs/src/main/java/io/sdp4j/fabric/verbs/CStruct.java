package io.sdp4j.fabric.verbs;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Lays out C structs as the 64-bit System V and AArch64 ABIs do: every member at the next multiple
 * of its alignment, the whole rounded up to the largest alignment.
 *
 * <p>{@code LayoutTest} compares the results with those of a C compiler and the installed headers,
 * for x86-64 and for AArch64.
 */
final class CStruct {
    private CStruct() {}

    /**
     * Returns the struct {@code name}, with padding where C puts it.
     *
     * @param members each with the size of its type in bytes, as in {@code fd 4}; arrays as {@code
     *     name 64x1}, structs as {@code cap { max_send_wr 4 }}; {@code -88} is room for members
     *     that are not used here
     */
    static StructLayout of(String name, String members) {
        return struct(name, List.of(members.split(" ")).iterator());
    }

    private static StructLayout struct(String name, Iterator<String> words) {
        List<MemoryLayout> padded = new ArrayList<>();
        long at = 0;
        long alignment = 1;
        while (words.hasNext()) {
            String word = words.next();
            if (word.equals("}")) {
                break;
            }
            MemoryLayout m =
                    word.startsWith("-")
                            ? MemoryLayout.paddingLayout(-Long.parseLong(word))
                            : member(word, words.next(), words);
            at = pad(padded, at, m.byteAlignment());
            padded.add(m);
            at += m.byteSize();
            alignment = Math.max(alignment, m.byteAlignment());
        }
        pad(padded, at, alignment);
        return MemoryLayout.structLayout(padded.toArray(MemoryLayout[]::new)).withName(name);
    }

    private static MemoryLayout member(String name, String type, Iterator<String> rest) {
        if (type.equals("{")) {
            return struct(name, rest);
        }
        int x = type.indexOf('x');
        MemoryLayout value = value(Integer.parseInt(type.substring(x + 1)));
        return x < 0
                ? value.withName(name)
                : MemoryLayout.sequenceLayout(Long.parseLong(type.substring(0, x)), value)
                        .withName(name);
    }

    private static MemoryLayout value(int bytes) {
        return switch (bytes) {
            case 1 -> ValueLayout.JAVA_BYTE;
            case 2 -> ValueLayout.JAVA_SHORT;
            case 4 -> ValueLayout.JAVA_INT;
            case 8 -> ValueLayout.JAVA_LONG;
            default -> throw new AssertionError("no type has " + bytes + " bytes");
        };
    }

    private static long pad(List<MemoryLayout> members, long at, long alignment) {
        long gap = -at & (alignment - 1);
        if (gap > 0) {
            members.add(MemoryLayout.paddingLayout(gap));
        }
        return at + gap;
    }

    /** Returns the offset of a member, or of a member of a member. */
    static long offset(StructLayout layout, String... path) {
        PathElement[] elements = new PathElement[path.length];
        for (int i = 0; i < path.length; i++) {
            elements[i] = PathElement.groupElement(path[i]);
        }
        return layout.byteOffset(elements);
    }
}
