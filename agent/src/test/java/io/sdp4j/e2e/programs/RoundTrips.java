package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Connections, one after the other, that carry messages to and fro: {@code KIND BYTES CONNECTIONS},
 * or {@code KIND BYTES CONNECTIONS PORT TRIPS}, where BYTES is a message's size and TRIPS a number
 * or {@code until-offloaded}. The client prints {@code echoed=all} if each answer was right, the
 * server if it answered until the end. With {@code -Dlate.s=N} the client begins N seconds late.
 */
public final class RoundTrips {
    private static final long MOST_NANOS = 30_000_000_000L;

    /** Kind of socket at both ends. */
    public enum Kind {
        SOCKET,
        CHANNEL,
        SELECTOR
    }

    private RoundTrips() {}

    /** Serves connections, or makes them. */
    public static void main(String[] args) throws Exception {
        Endpoint.Kind kind = Endpoint.Kind.valueOf(args[0]);
        int bytes = Integer.parseInt(args[1]);
        int connections = Integer.parseInt(args[2]);
        if (args.length == 3) {
            try (Endpoint.Listener listener = Endpoint.listen(kind)) {
                System.out.println("READY " + listener.port());
                for (int i = 0; i < connections; i++) {
                    answer(listener.accept(), bytes);
                }
            }
        } else {
            Thread.sleep(Duration.ofSeconds(Long.getLong("late.s", 0)));
            for (int i = 0; i < connections; i++) {
                try (Endpoint end = Endpoint.connect(kind, Integer.parseInt(args[3]))) {
                    exchange(end, bytes, args[4]);
                }
            }
        }
        System.out.println("echoed=all");
    }

    private static void exchange(Endpoint end, int bytes, String trips) throws Exception {
        boolean until = trips.equals("until-offloaded");
        long most = until ? Long.MAX_VALUE : Long.parseLong(trips);
        long start = System.nanoTime();
        byte[] message = new byte[bytes];
        byte[] answer = new byte[bytes];
        for (long i = 0; i < most && !(until && i % 1_000 == 999 && offloaded()); i++) {
            ByteBuffer.wrap(message).putLong(0, i).putLong(bytes - 8, ~i);
            end.write(message);
            if (!end.readFully(answer) || !Arrays.equals(message, answer)) {
                throw new IOException("no answer, or a wrong one, to message " + i);
            }
            if (until && System.nanoTime() - start > MOST_NANOS) {
                throw new IOException("not offloaded after " + i + " messages");
            }
        }
    }

    /** Whether this process has a connection that was offloaded. */
    static boolean offloaded() throws JMException {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("io.sdp4j:type=Switch");
        return beans.isRegistered(name)
                && (Long) beans.getAttribute(name, "Offloaded")
                                + (Long) beans.getAttribute(name, "AcceptedOffloaded")
                        > 0;
    }

    private static void answer(Endpoint end, int bytes) throws IOException {
        try (end) {
            byte[] message = new byte[bytes];
            while (end.readFully(message)) {
                end.write(message);
            }
        }
    }
}
