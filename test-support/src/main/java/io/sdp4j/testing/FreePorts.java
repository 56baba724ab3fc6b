package io.sdp4j.testing;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports without a listener, for tests that have to name one before it is bound. No port is given
 * twice in one JVM. Thread-safe.
 */
public final class FreePorts {
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    /** One that was free a moment ago. */
    public static int one() throws IOException {
        return row(1);
    }

    /**
     * The first of so many neighbours that were free a moment ago; below those that the kernel
     * gives to sockets that ask for any (32768 and up), so that no client takes one meanwhile.
     */
    public static int row(int length) throws IOException {
        for (int tries = 0; tries < 1_000; tries++) {
            int first = ThreadLocalRandom.current().nextInt(12_000, 30_000);
            int free = 0;
            while (free < length && isFree(first + free)) {
                free++;
            }
            if (free == length) {
                return first;
            }
        }
        throw new IOException("no free ports");
    }

    private static boolean isFree(int port) {
        if (!GIVEN.add(port)) {
            return false;
        }
        try (ServerSocket everywhere = new ServerSocket(port)) {
            return everywhere.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
