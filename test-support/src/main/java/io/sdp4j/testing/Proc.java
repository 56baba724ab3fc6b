package io.sdp4j.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The kernel's account of processes and threads, from /proc. */
public final class Proc {
    public static final Path SELF = Path.of("/proc/self");

    private Proc() {}

    /** Targets of the descriptors that this process has open, that of the look itself included. */
    public static List<String> descriptors() throws IOException {
        List<String> targets = new ArrayList<>();
        try (var all = Files.newDirectoryStream(SELF.resolve("fd"))) {
            for (Path fd : all) {
                try {
                    targets.add(Files.readSymbolicLink(fd).toString());
                } catch (NoSuchFileException closed) {
                    // by another thread
                }
            }
        }
        return targets;
    }

    /** Inodes of the files of such a name that this process has mapped, one for each mapping. */
    public static List<String> mappings(String name) throws IOException {
        try (var lines = Files.lines(SELF.resolve("maps"))) {
            return lines.filter(l -> l.contains(name)).map(l -> l.split(" +", 6)[4]).toList();
        }
    }

    /**
     * Pages of such mappings that a process has in memory, each shared out among all that map it,
     * so that their sum counts it once.
     */
    public static long residentBytes(Path process, String name) throws IOException {
        long kib = 0;
        boolean wanted = false;
        for (String line : Files.readAllLines(process.resolve("smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                wanted = line.contains(name);
            } else if (wanted && line.startsWith("Pss:")) {
                kib += Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return kib << 10;
    }

    /** A line of the status of a process or thread, without its name. */
    public static String status(Path task, String name) throws IOException {
        try (var lines = Files.lines(task.resolve("status"))) {
            return lines.filter(l -> l.startsWith(name + ":"))
                    .findFirst()
                    .orElseThrow()
                    .substring(name.length() + 1)
                    .strip();
        }
    }
}
