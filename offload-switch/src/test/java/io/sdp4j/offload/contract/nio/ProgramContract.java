package io.sdp4j.offload.contract.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: no sequence of calls tells these channels from the kernel's. Method: seeded random programs
 * run on both, and what they see is compared line by line.
 */
interface ProgramContract extends NioChannels {
    /** Programs to run. */
    default int programs() {
        return Scale.of(500, 10_000);
    }

    @Test
    default void randomProgramsAgree() throws Exception {
        Long only = Long.getLong("sdp4j.test.seed");
        long first = only == null ? 0 : only;
        long end = only == null ? programs() : only + 1;
        NioChannels kernel = new Kernel();
        for (long seed = first; seed < end; seed++) {
            List<String> expected = RandomProgram.run(kernel, seed, 40);
            List<String> found = RandomProgram.run(this, seed, 40);
            int same = 0;
            while (same < Math.min(expected.size(), found.size())
                    && expected.get(same).equals(found.get(same))) {
                same++;
            }
            String seen = String.join("\n", expected.subList(0, same));
            assertEquals(
                    line(expected, same),
                    line(found, same),
                    "replay with -Dsdp4j.test.seed=" + seed + "\n" + seen + "\n");
        }
    }

    private static String line(List<String> trace, int at) {
        return at < trace.size() ? trace.get(at) : "the end";
    }

    /** The channels of the JDK. */
    final class Kernel implements NioChannels {
        @Override
        public SelectorProvider provider() {
            return SelectorProvider.provider();
        }

        @Override
        public boolean offloads() {
            return false;
        }
    }
}
