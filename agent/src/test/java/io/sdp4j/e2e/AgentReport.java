package io.sdp4j.e2e;

import io.sdp4j.agent.JsonReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * An agent's report, as far as the tests look at it.
 *
 * @param offloaded connections this process made that were offloaded to shared memory
 * @param policy those the rules sent to the kernel
 * @param fallback those that came to the kernel because offloading did not work out
 * @param acceptedOffloaded connections it accepted offloaded
 * @param acceptedKernel connections it accepted from the kernel
 * @param moved those that left TCP, made and accepted
 * @param movedBytes sum of what they had carried by TCP
 * @param movedMillis sum of their ages then
 * @param reasons how many connections of either kind gave each reason
 * @param text the whole report
 */
public record AgentReport(
        long offloaded,
        long policy,
        long fallback,
        long acceptedOffloaded,
        long acceptedKernel,
        long moved,
        long movedBytes,
        long movedMillis,
        Map<?, ?> reasons,
        String text) {

    /** The report that the agent has written to {@code file}. */
    public static AgentReport read(Path file) throws IOException {
        return of(Files.readString(file));
    }

    private static AgentReport of(String text) {
        Map<?, ?> root = (Map<?, ?>) JsonReader.parse(text);
        Map<?, ?> made = child(root, "connections");
        Map<?, ?> kernel = child(made, "kernel");
        Map<?, ?> accepted = child(root, "accepted");
        Map<?, ?> moved = child(root, "moved");
        return new AgentReport(
                count(child(made, "offloaded"), "shm"),
                count(kernel, "policy"),
                count(kernel, "fallback"),
                count(child(accepted, "offloaded"), "shm"),
                count(accepted, "kernel"),
                count(moved, "connections"),
                count(moved, "bytes"),
                count(moved, "millis"),
                child(root, "reasons"),
                text);
    }

    private static Map<?, ?> child(Map<?, ?> parent, String name) {
        if (parent.get(name) instanceof Map<?, ?> map) {
            return map;
        }
        throw new AssertionError("no " + name + " in " + parent);
    }

    /** Zero when it is not there: what never happened need not be listed. */
    private static long count(Map<?, ?> section, String name) {
        return section.get(name) instanceof Long n ? n : 0;
    }
}
