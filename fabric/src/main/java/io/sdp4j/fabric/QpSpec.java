package io.sdp4j.fabric;

/**
 * Parameters of one side's queue pair. All {@code receiveSlots} are posted when the queue pair is
 * made, before the peer learns of them.
 *
 * @param receiveSlots receive buffers, 1 to 1024
 * @param receiveBytes size of each receive buffer, 64 bytes to 1 MiB
 * @param sendSlots send buffers, if the fabric has any of its own, 1 to 1024
 */
public record QpSpec(int receiveSlots, int receiveBytes, int sendSlots) {
    public QpSpec {
        check("receiveSlots", receiveSlots, 1, 1024);
        check("receiveBytes", receiveBytes, 64, 1 << 20);
        check("sendSlots", sendSlots, 1, 1024);
    }

    private static void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name + " " + value + " is not in " + min + ".." + max);
        }
    }
}
