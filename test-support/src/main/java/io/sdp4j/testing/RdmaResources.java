package io.sdp4j.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kernel's count of RDMA objects on the lab's host. */
public final class RdmaResources {
    private static final Pattern COUNT = Pattern.compile("\\b(pd|cq|qp|cm_id|mr) (\\d+)");

    private RdmaResources() {}

    /** By kind; contexts are not counted, because they stay open. */
    public static Map<String, Long> now() {
        try {
            Process p = new ProcessBuilder("rdma", "resource", "show").start();
            String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            p.waitFor();
            Map<String, Long> counts = new TreeMap<>();
            Matcher m = COUNT.matcher(out);
            while (m.find()) {
                counts.merge(m.group(1), Long.parseLong(m.group(2)), Long::sum);
            }
            if (counts.isEmpty()) {
                throw new AssertionError("rdma resource show said: " + out);
            }
            return counts;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
