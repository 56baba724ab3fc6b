package io.sdp4j.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Description of this machine, for a result that must be read elsewhere. */
final class Machine {
    private static final Path STAT = Path.of("/proc/stat");
    private static final int IDLE = 4; // words of the line "cpu": user nice system idle iowait ...
    private static final int IOWAIT = 5;
    private static final int STEAL = 8;
    private static final int MS_A_TICK = 10; // of /proc/stat, whatever the kernel's own

    private Machine() {}

    /** The idle share of processor time during the next second; 1 where unknown. */
    static double idle() throws InterruptedException {
        long[] before = ticks();
        Thread.sleep(1000); // the time over which it is measured
        long[] after = ticks();
        long all = after[1] - before[1];
        return all > 0 ? (double) (after[0] - before[0]) / all : 1;
    }

    /** Ticks idle and ticks in all since the machine started. */
    private static long[] ticks() {
        try {
            String[] words = words(STAT);
            long all = 0;
            for (int i = 1; i < words.length; i++) {
                all += Long.parseLong(words[i]);
            }
            return new long[] {Long.parseLong(words[IDLE]) + Long.parseLong(words[IOWAIT]), all};
        } catch (IOException | RuntimeException e) {
            return new long[2];
        }
    }

    /**
     * Milliseconds since the machine started in which one of its processors had work and the host
     * of this virtual machine ran something else; in steps of ten. Always 0 where that is not told.
     */
    static long stolenMs() {
        return stolenMs(STAT);
    }

    static long stolenMs(Path stat) {
        try {
            return MS_A_TICK * Long.parseLong(words(stat)[STEAL]);
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    private static String[] words(Path stat) throws IOException {
        return Files.readAllLines(stat).getFirst().strip().split("\\s+", -1);
    }

    static Map<String, Object> describe() {
        Map<String, Object> machine = new LinkedHashMap<>();
        machine.put("cpu", field(Path.of("/proc/cpuinfo"), "model name"));
        machine.put("cores", Runtime.getRuntime().availableProcessors());
        machine.put("memory", field(Path.of("/proc/meminfo"), "MemTotal"));
        machine.put(
                "kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        machine.put("arch", System.getProperty("os.arch"));
        machine.put("jdk", Runtime.version().toString());
        machine.put("jvm", System.getProperty("java.vm.name"));
        machine.put(
                "load_at_start",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        return machine;
    }

    /** One sentence of it. */
    static String sentence(Map<String, Object> machine) {
        return machine.get("cpu")
                + ", "
                + machine.get("cores")
                + " cores, "
                + machine.get("kernel")
                + ", JDK "
                + machine.get("jdk")
                + ", load at start "
                + machine.get("load_at_start");
    }

    private static String field(Path file, String name) {
        try {
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith(name)) {
                    return line.substring(line.indexOf(':') + 1).strip();
                }
            }
        } catch (IOException unreadable) {
            // not this kind of system
        }
        return "unknown";
    }
}
