package io.sdp4j.agent.programs;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Uses a socket, then waits for the switch's bean and prints its report; with an argument waits for
 * so many milliseconds and only says whether the bean is there.
 */
public final class BeanReader {
    private BeanReader() {}

    public static void main(String[] args) throws IOException, JMException, InterruptedException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        int _ = OneConnection.exchange();
        ObjectName name = new ObjectName("io.sdp4j:type=Switch");
        long millis = args.length > 0 ? Long.parseLong(args[0]) : 15_000;
        for (long i = 0; i < millis / 50 && !server.isRegistered(name); i++) {
            Thread.sleep(50);
        }
        if (args.length > 0) {
            System.out.println(server.isRegistered(name));
            return;
        }
        System.out.println(server.getAttribute(name, "Report"));
        System.out.println(server.getAttribute(name, "AcceptedKernel"));
    }
}
