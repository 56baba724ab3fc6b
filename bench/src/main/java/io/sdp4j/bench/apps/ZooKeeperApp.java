package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A stand-alone ZooKeeper: reads of one node, in a session for each at once. */
final class ZooKeeperApp implements App {
    private static final String NODE = "/node";
    private static final int TICK_MILLIS = 2_000;
    private static final int MOST_CLIENTS = 100;
    private static final int SESSION_MILLIS = 30_000;

    @Override
    public int serve() throws IOException, InterruptedException {
        Path data = WorkFolder.create("zookeeper");
        ServerCnxnFactory factory =
                ServerCnxnFactory.createFactory(
                        new InetSocketAddress(Place.here(), 0), MOST_CLIENTS);
        factory.startup(new ZooKeeperServer(data.toFile(), data.toFile(), TICK_MILLIS));
        return factory.getLocalPort();
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally) throws Exception {
        ZooKeeper first = session(port);
        first.create(NODE, new byte[bytes], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        tally.repeat(() -> read(first, bytes));
        for (int i = 1; i < atOnce; i++) {
            ZooKeeper other = session(port);
            tally.repeat(() -> read(other, bytes));
        }
    }

    private static ZooKeeper session(int port) throws IOException, InterruptedException {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper session =
                new ZooKeeper(
                        Place.here().getHostAddress() + ":" + port,
                        SESSION_MILLIS,
                        event -> {
                            if (event.getState() == KeeperState.SyncConnected) {
                                connected.countDown();
                            }
                        });
        connected.await();
        return session;
    }

    private static void read(ZooKeeper session, int bytes)
            throws IOException, InterruptedException, KeeperException {
        if (session.getData(NODE, false, null).length != bytes) {
            throw new IOException("not what was written");
        }
    }
}
