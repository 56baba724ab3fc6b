package io.sdp4j.agent.programs;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Uses a socket, then waits for the switch's bean and prints its report. */
public final class BeanReader {
    private BeanReader() {}

    public static void main(String[] args) throws IOException, JMException, InterruptedException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        int _ = OneConnection.exchange();
        ObjectName name = new ObjectName("io.sdp4j:type=Switch");
        for (int i = 0; i < 300 && !server.isRegistered(name); i++) {
            Thread.sleep(50);
        }
        System.out.println(server.getAttribute(name, "Report"));
        System.out.println(server.getAttribute(name, "AcceptedKernel"));
    }
}
