package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.SwitchReport;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.Test;

/** Goal: each attribute tells the number that its name says. */
class JmxBeanTest {
    private static final SwitchReport REPORT =
            new SwitchReport(
                    Map.of("shm", 1L, "verbs", 2L),
                    4,
                    5,
                    Map.of("shm", 6L),
                    7,
                    8,
                    9,
                    Map.of(),
                    10,
                    new SwitchReport.Moved(11, 12, 13));

    @Test
    void attributesTellTheReport() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("io.sdp4j.test:type=Switch");
        server.registerMBean(
                new StandardMBean(new JmxBean.Live(() -> REPORT), SwitchMXBean.class, true), name);
        try {
            MBeanInfo info = server.getMBeanInfo(name);
            Map<String, Object> found = new HashMap<>();
            for (var attribute : info.getAttributes()) {
                if (!attribute.getName().equals("Report")) {
                    String id = attribute.getName();
                    found.put(id, server.getAttribute(name, id));
                }
            }
            assertEquals(
                    Map.of(
                            "Offloaded", 3L,
                            "KernelByPolicy", 4L,
                            "KernelByFallback", 5L,
                            "AcceptedOffloaded", 6L,
                            "AcceptedKernel", 7L,
                            "BytesRead", 8L,
                            "BytesWritten", 9L,
                            "Moved", 11L),
                    found);
            assertEquals(Report.json(REPORT, null), server.getAttribute(name, "Report"));
        } finally {
            server.unregisterMBean(name);
        }
    }
}
