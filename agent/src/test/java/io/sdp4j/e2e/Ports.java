package io.sdp4j.e2e;

import io.sdp4j.testing.FreePorts;
import java.io.IOException;

/**
 * Ports for one server: a rule file that names them must exist before the server does.
 *
 * @param first where clients come
 * @param second where they come as well
 * @param inner for what a server has to say to itself
 */
record Ports(int first, int second, int inner) {
    /** Three that were free a moment ago. */
    static Ports free() throws IOException {
        int first = FreePorts.row(3);
        return new Ports(first, first + 1, first + 2);
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
        return rules.append("use sdp client * *:*\n").toString();
    }
}
