package io.sdp4j.fabric.verbs;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The RDMA device that tests use: that of the lab, whose host names it in its environment. There, a
 * missing device is a failure; elsewhere the test is skipped.
 */
final class Lab {
    /** Throwables that event loops caught. */
    static final Queue<Throwable> THROWN = new ConcurrentLinkedQueue<>();

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
}
