import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM's view of a machine, one {@code name=value} per line: {@code micros}, the shortest time of a fixed piece of
 * arithmetic; {@code devices}, the names that libibverbs lists; {@code channel}, whether librdmacm gave an event channel.
 */
final class Probe {
    private static final Linker LINKER = Linker.nativeLinker();

    public static void main(String[] args) throws Throwable {
        System.out.println("micros=" + shortestMicros());
        System.out.println("devices=" + String.join(",", devices()));
        System.out.println("channel=" + hasEventChannel());
    }

    /** The shortest of many: other programs on the machine lengthen the rest. */
    private static long shortestMicros() {
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < 200; i++) {
            long start = System.nanoTime();
            if (arithmetic() == 42) {
                throw new AssertionError("not the sum of this series");
            }
            shortest = Math.min(shortest, (System.nanoTime() - start) / 1000);
        }
        return shortest;
    }

    private static long arithmetic() {
        long sum = 0;
        for (long i = 1; i < 2_000_000; i++) {
            sum += sum * 31 ^ i;
        }
        return sum;
    }

    private static List<String> devices() throws Throwable {
        List<String> names = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup verbs = SymbolLookup.libraryLookup("libibverbs.so.1", arena);
            var nameOf = LINKER.downcallHandle(
                    verbs.findOrThrow("ibv_get_device_name"), FunctionDescriptor.of(ADDRESS, ADDRESS));
            var free = LINKER.downcallHandle(
                    verbs.findOrThrow("ibv_free_device_list"), FunctionDescriptor.ofVoid(ADDRESS));
            MemorySegment count = arena.allocate(JAVA_INT);
            MemorySegment list = (MemorySegment) LINKER.downcallHandle(
                            verbs.findOrThrow("ibv_get_device_list"), FunctionDescriptor.of(ADDRESS, ADDRESS))
                    .invokeExact(count);
            int n = list.equals(MemorySegment.NULL) ? 0 : count.get(JAVA_INT, 0);
            MemorySegment devices = list.reinterpret(n * ADDRESS.byteSize());
            for (int i = 0; i < n; i++) {
                MemorySegment name = (MemorySegment) nameOf.invokeExact(devices.getAtIndex(ADDRESS, i));
                names.add(name.reinterpret(64).getString(0));
            }
            if (n > 0) {
                free.invokeExact(list);
            }
        }
        return names;
    }

    private static boolean hasEventChannel() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup cm = SymbolLookup.libraryLookup("librdmacm.so.1", arena);
            MemorySegment channel = (MemorySegment) LINKER.downcallHandle(
                            cm.findOrThrow("rdma_create_event_channel"), FunctionDescriptor.of(ADDRESS))
                    .invokeExact();
            if (channel.equals(MemorySegment.NULL)) {
                return false;
            }
            LINKER.downcallHandle(cm.findOrThrow("rdma_destroy_event_channel"), FunctionDescriptor.ofVoid(ADDRESS))
                    .invokeExact(channel);
            return true;
        }
    }
}
