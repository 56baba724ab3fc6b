package io.sdp4j.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What this machine is, for a result that must be read elsewhere. */
final class Machine {
    private Machine() {}

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
