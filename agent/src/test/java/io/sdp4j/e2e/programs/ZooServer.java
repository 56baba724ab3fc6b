package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * Two stand-alone ZooKeeper servers, one at each port. Arguments: the ports and an existing folder
 * for their data.
 */
public final class ZooServer {
    private static final int TICK_MILLIS = 2_000;
    private static final int MOST_CLIENTS = 100;

    private ZooServer() {}

    /** Serves until it is ended. */
    public static void main(String[] args) throws IOException, InterruptedException {
        // else the server's own handler writes errors to a log that is not read
        Thread.currentThread()
                .setUncaughtExceptionHandler(
                        (thread, failure) -> {
                            failure.printStackTrace();
                            System.exit(1);
                        });
        for (InetSocketAddress address : Listening.addresses(args[0])) {
            Path data = Path.of(args[1]).resolve("zoo-" + address.getPort());
            ServerCnxnFactory factory = ServerCnxnFactory.createFactory(address, MOST_CLIENTS);
            if (!(factory instanceof NIOServerCnxnFactory)) {
                throw new IllegalStateException(factory.toString());
            }
            factory.startup(new ZooKeeperServer(data.toFile(), data.toFile(), TICK_MILLIS));
        }
        System.out.println("READY");
    }
}
