package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * One connection that carries messages of 64 bytes to and fro: {@code KIND}, or {@code KIND PORT
 * TRIPS}, where TRIPS is a number or {@code until-offloaded}. The client prints {@code echoed=all}
 * if each answer was right, the server if it answered until the end.
 */
public final class RoundTrips {
    private static final int BYTES = 64;
    private static final long MOST_NANOS = 30_000_000_000L;

    /** What kind of socket both ends use. */
    public enum Kind {
        SOCKET,
        CHANNEL,
        SELECTOR
    }

    private RoundTrips() {}

    /** Serves one connection, or makes one. */
    public static void main(String[] args) throws Exception {
        Endpoint.Kind kind = Endpoint.Kind.valueOf(args[0]);
        if (args.length == 1) {
            try (Endpoint.Listener listener = Endpoint.listen(kind)) {
                System.out.println("READY " + listener.port());
                answer(listener.accept());
            }
        } else {
            try (Endpoint end = Endpoint.connect(kind, Integer.parseInt(args[1]))) {
                exchange(end, args[2]);
            }
        }
        System.out.println("echoed=all");
    }

    private static void exchange(Endpoint end, String trips) throws Exception {
        boolean until = trips.equals("until-offloaded");
        long most = until ? Long.MAX_VALUE : Long.parseLong(trips);
        long start = System.nanoTime();
        byte[] message = new byte[BYTES];
        byte[] answer = new byte[BYTES];
        for (long i = 0; i < most && !(until && i % 1_000 == 999 && offloaded()); i++) {
            ByteBuffer.wrap(message).putLong(0, i).putLong(BYTES - 8, ~i);
            end.write(message);
            if (!end.readFully(answer) || !Arrays.equals(message, answer)) {
                throw new IOException("no answer, or a wrong one, to message " + i);
            }
            if (until && System.nanoTime() - start > MOST_NANOS) {
                throw new IOException("not offloaded after " + i + " messages");
            }
        }
    }

    private static boolean offloaded() throws JMException {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("io.sdp4j:type=Switch");
        return beans.isRegistered(name) && (Long) beans.getAttribute(name, "Offloaded") > 0;
    }

    private static void answer(Endpoint end) throws IOException {
        try (end) {
            byte[] message = new byte[BYTES];
            while (end.readFully(message)) {
                end.write(message);
            }
        }
    }
}
