package io.sdp4j.fabric.verbs;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The RDMA device that tests use: that of the lab, whose host names it in its environment. There, a
 * missing device is a failure; elsewhere the test is skipped.
 */
final class Lab {
    /** Throwables that event loops caught. */
    static final Queue<Throwable> THROWN = new ConcurrentLinkedQueue<>();

    private static final Pattern COUNT = Pattern.compile("\\b(pd|cq|qp|cm_id|mr|ctx) (\\d+)");

    static final String ABSENT = "no RDMA device";

    private Lab() {}

    /** Whether there should be a device. */
    static boolean present() {
        return System.getenv("LAB_ADDR") != null;
    }

    /** An address of this host that the RDMA device serves. */
    static InetAddress address() throws IOException {
        if (!Files.isDirectory(Path.of("/sys/class/infiniband"))) {
            fail("the lab's host has no RDMA device");
        }
        return InetAddress.getByName(System.getenv("LAB_ADDR"));
    }

    static boolean iwarp() {
        return "siw".equals(System.getenv("LAB_FABRIC"));
    }

    /** The kernel's count of every kind of object, contexts aside, which stay open. */
    static Map<String, Long> resources() {
        try {
            Process p = new ProcessBuilder("rdma", "resource", "show").start();
            String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            p.waitFor();
            Map<String, Long> counts = new TreeMap<>();
            Matcher m = COUNT.matcher(out);
            while (m.find()) {
                if (!m.group(1).equals("ctx")) {
                    counts.merge(m.group(1), Long.parseLong(m.group(2)), Long::sum);
                }
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
