package io.sdp4j.agent.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The limits of this process that RDMA meets, as the kernel words them: a number, or "unlimited";
 * empty if it does not say.
 *
 * @param memlock locked memory in bytes; registered memory counts against it
 * @param openFiles descriptors
 */
record ProcessLimits(String memlock, String openFiles) {
    static ProcessLimits own() {
        return of(Path.of("/proc/self/limits"));
    }

    static ProcessLimits of(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            lines = List.of();
        }
        return new ProcessLimits(soft(lines, "Max locked memory"), soft(lines, "Max open files"));
    }

    private static String soft(List<String> lines, String title) {
        return lines.stream()
                .filter(line -> line.startsWith(title))
                .findFirst()
                .map(line -> line.substring(title.length()).strip().split("\\s+", 2)[0])
                .filter(word -> word.equals("unlimited") || word.matches("[0-9]{1,18}"))
                .orElse("");
    }
}
