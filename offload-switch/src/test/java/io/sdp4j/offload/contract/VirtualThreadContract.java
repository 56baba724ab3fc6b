package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.testing.Pair;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Virtual threads that wait leave their carrier to others: behaviour 60. */
interface VirtualThreadContract extends Sockets {
    /**
     * Connections in this JVM; one virtual thread waits at each end of each. Bounded by descriptors
     * (two per connection on the kernel) and, offloaded, by ports.
     */
    default int manyConnections() {
        return 500;
    }

    /**
     * Goal: blocked virtual threads pin no carrier. Method: many wait in read, then one pair plays
     * ping-pong on the same few carriers, then all are released.
     */
    @Test
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName("60: blocked virtual threads leave their carriers")
    default void manyBlockedReadersLeaveTheCarriers() throws Exception {
        int many = manyConnections();
        List<Socket> ends = new ArrayList<>();
        List<Task<Integer>> readers = new ArrayList<>();
        try (ServerSocket listener = listen(many);
                Pair<ServerSocket, Socket> p = pair()) {
            for (int i = 0; i < many; i++) {
                Socket c = newSocket();
                c.connect(listener.getLocalSocketAddress());
                ends.add(c);
                ends.add(listener.accept());
            }
            for (Socket s : ends) {
                readers.add(Task.start(Task.Kind.VIRTUAL, s.getInputStream()::read));
            }
            readers.getFirst().awaitBlocked();
            readers.getLast().awaitBlocked();
            Task<Void> echo =
                    Task.start(
                            Task.Kind.VIRTUAL,
                            () -> {
                                echo(p.server(), 1000);
                                return null;
                            });
            Task<Integer> pinger = Task.start(Task.Kind.VIRTUAL, () -> ping(p.client(), 1000));
            assertEquals(1000, pinger.get());
            echo.get();
            for (Socket s : ends) {
                s.getOutputStream().write(1);
            }
            for (Task<Integer> reader : readers) {
                assertEquals(1, reader.get());
            }
        } finally {
            for (Socket s : ends) {
                s.close();
            }
        }
    }

    private static void echo(Socket s, int rounds) throws IOException {
        for (int i = 0; i < rounds; i++) {
            s.getOutputStream().write(s.getInputStream().read());
        }
    }

    private static int ping(Socket s, int rounds) throws IOException {
        int good = 0;
        for (int i = 0; i < rounds; i++) {
            s.getOutputStream().write(i);
            good += s.getInputStream().read() == (i & 0xff) ? 1 : 0;
        }
        return good;
    }
}
