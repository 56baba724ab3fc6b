package io.sdp4j.e2e;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for one server: a rule file that names them must exist before the server does.
 *
 * <p>Below the kernel's ephemeral ports (32768 and up), so that no client takes one meanwhile.
 *
 * @param first where clients come
 * @param second where they come as well
 * @param inner for what a server has to say to itself
 */
record Ports(int first, int second, int inner) {
    /** Three that were free a moment ago. */
    static Ports free() throws IOException {
        int base = ThreadLocalRandom.current().nextInt(4_000, 10_000) * 3;
        for (int tries = 0; tries < 1_000; tries++) {
            Ports ports = new Ports(base, base + 1, base + 2);
            if (isFree(base) && isFree(base + 1) && isFree(base + 2)) {
                return ports;
            }
            base = ThreadLocalRandom.current().nextInt(4_000, 10_000) * 3;
        }
        throw new IOException("no free ports");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    /** As the programs take them. */
    @Override
    public String toString() {
        return first + "," + second + "," + inner;
    }

    /** Rules that send one of the two, and on demand the inner one, to the kernel at both ends. */
    String rules(boolean firstByTcp) {
        StringBuilder rules = new StringBuilder();
        for (int port : firstByTcp ? new int[] {first, inner} : new int[] {second}) {
            rules.append("use tcp server * *:" + port + "\n");
            rules.append("use tcp client * *:" + port + "\n");
        }
        return rules.append("use both client * *:*\n").toString();
    }
}
