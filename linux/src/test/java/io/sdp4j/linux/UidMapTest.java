package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** User 65534 is a user like any other where the kernel has no need to show it for others. */
final class UidMapTest {
    @Test
    void theNumberIsTheKernelsInFull() throws Exception {
        Path file = Path.of("/proc/sys/kernel/overflowuid");
        String told = Files.readAllLines(file).getFirst(); // one large read
        assertEquals(Long.parseLong(told), UidMap.own().overflow());
        assertEquals(Long.parseLong(told), UidMap.overflow(file));
    }

    @Test
    void aNumberThatCannotBeReadIsTheUsualOne(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("overflowuid");
        assertEquals(65534, UidMap.overflow(file));
        for (String content : List.of("", "\n", "none\n")) {
            Files.writeString(file, content);
            assertEquals(65534, UidMap.overflow(file), content);
        }
        Files.writeString(file, "77\n");
        assertEquals(77, UidMap.overflow(file));
    }

    @Test
    void whereEveryUserHasANumberEachNumberIsAUser() {
        UidMap host = UidMap.of(65534, List.of("         0          0 4294967295"));
        assertFalse(host.ambiguous(65534));
        assertFalse(host.ambiguous(1000));
        UidMap parts = UidMap.of(65534, List.of("0 0 1000", "1000 5000 1", "1001 1001 4294966294"));
        assertFalse(parts.ambiguous(65534));
    }

    @Test
    void whereSomeUsersHaveNoNumberTheOverflowIdMayBeAnyOfThem() {
        for (List<String> lines :
                List.of(
                        List.of("0 100000 65536"),
                        List.of("1000 1000 1"),
                        List.<String>of(),
                        List.of("nonsense"),
                        List.of("0 0 x"))) {
            UidMap map = UidMap.of(65534, lines);
            assertTrue(map.ambiguous(65534), lines::toString);
            assertFalse(map.ambiguous(1000), lines::toString);
        }
        assertTrue(UidMap.of(77, List.of("0 0 65536")).ambiguous(77));
        assertFalse(UidMap.of(77, List.of("0 0 65536")).ambiguous(65534));
    }
}
