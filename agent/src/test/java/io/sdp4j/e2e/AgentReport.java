package io.sdp4j.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The counts of an agent's report that the tests look at.
 *
 * @param offloaded connections this process made that were offloaded to shared memory
 * @param policy those the rules sent to the kernel
 * @param fallback those that came to the kernel because offloading did not work out
 * @param acceptedOffloaded connections it accepted offloaded
 * @param acceptedKernel connections it accepted from the kernel
 * @param text the whole report
 */
record AgentReport(
        long offloaded,
        long policy,
        long fallback,
        long acceptedOffloaded,
        long acceptedKernel,
        String text) {

    static AgentReport read(Path file) throws IOException {
        String text = Files.readString(file);
        String made = section(text, "connections");
        String accepted = section(text, "accepted");
        return new AgentReport(
                count(made, "shm"),
                count(made, "policy"),
                count(made, "fallback"),
                count(accepted, "shm"),
                count(accepted, "kernel"),
                text);
    }

    /** The object behind {@code name}, up to its closing brace. */
    private static String section(String text, String name) {
        int start = text.indexOf("\"" + name + "\"");
        if (start < 0) {
            throw new AssertionError("no " + name + " in " + text);
        }
        int depth = 0;
        for (int i = text.indexOf('{', start); i < text.length(); i++) {
            depth += text.charAt(i) == '{' ? 1 : text.charAt(i) == '}' ? -1 : 0;
            if (depth == 0) {
                return text.substring(start, i + 1);
            }
        }
        throw new AssertionError("no end of " + name + " in " + text);
    }

    /** Zero when it is not there: what never happened need not be listed. */
    private static long count(String section, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\"\\s*:\\s*(\\d+)").matcher(section);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }
}
