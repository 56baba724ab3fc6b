package io.sdp4j.rdma.verbs;

import io.sdp4j.rdma.QpSpec;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Goal: the ports that programs have taken on TCP cost no connection over iWARP, which shares them.
 */
@EnabledIf(value = "io.sdp4j.rdma.verbs.Lab#present", disabledReason = Lab.ABSENT)
@Timeout(120)
class VerbsPortsTest {
    private static final Path RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final int FIRST = 40_000;
    private static final int PORTS = 400;

    private final List<Socket> taken = new ArrayList<>();
    private LabPairs pairs;
    private String before;

    @BeforeEach
    void takeEveryFourthPort() throws Exception {
        pairs = new LabPairs(new QpSpec(4, 1024, 4));
        before = Files.readAllLines(RANGE).getFirst();
        Files.writeString(RANGE, FIRST + " " + (FIRST + PORTS - 1));
        for (int i = 0; i < PORTS; i += 4) {
            Socket s = new Socket();
            taken.add(s);
            try {
                s.bind(new InetSocketAddress(Lab.address(), FIRST + i));
            } catch (BindException e) {
                // somebody has taken it already
            }
        }
    }

    @AfterEach
    void giveBack() throws Exception {
        Files.writeString(RANGE, before);
        for (Socket s : taken) {
            s.close();
        }
        pairs.close();
    }

    /** Without another attempt all of these succeed once in 300 runs. */
    @Test
    void connectionsAreMadeFromOthers() throws Exception {
        for (int i = 0; i < 20; i++) {
            pairs.connect().close();
        }
    }
}
