package io.sdp4j.offload.contract.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: no sequence of calls tells these channels from the kernel's. Method: seeded random programs
 * run on both, and what they see is compared line by line. {@code -Dsdp4j.test.seed=7} runs one
 * program, {@code 0-4999} some of them, {@code -Dsdp4j.test.times=200} each of them so often.
 */
interface ProgramContract extends NioChannels {
    /** Programs to run. */
    default int programs() {
        return Scale.of(500, 10_000);
    }

    @Test
    default void randomProgramsAgree() throws Exception {
        String named = System.getProperty("sdp4j.test.seed", "0-" + (programs() - 1));
        int dash = named.indexOf('-');
        long first = Long.parseLong(dash < 0 ? named : named.substring(0, dash));
        long last = Long.parseLong(named.substring(dash + 1));
        int times = Integer.getInteger("sdp4j.test.times", 1);
        for (long seed = first; seed <= last; seed++) {
            for (int i = 0; i < times; i++) {
                agrees(seed);
            }
        }
    }

    private void agrees(long seed) throws Exception {
        List<String> expected = RandomProgram.run(new Kernel(), seed, 40);
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
