package io.sdp4j.e2e.programs;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * A ZooKeeper client: creates, reads, changes, watches, many operations at once, and a session
 * whose end another one sees. Argument: the ports.
 */
public final class ZooVisitor {
    private static final int SESSION_MILLIS = 60_000;
    private static final int NODES = 500;
    private static final int LARGE_BYTES = 700_000;
    private static final long LIMIT_SECONDS = 150;

    /** Of this visitor alone. */
    private final String root = "/visitor-" + ProcessHandle.current().pid();

    private final int port;
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    /** The events in the order in which they were waited for. */
    private final List<String> seen = new ArrayList<>();

    private ZooVisitor(int port) {
        this.port = port;
    }

    /** Visits and prints what came of it. */
    public static void main(String[] args) throws Exception {
        int visits = 0;
        for (int port : Listening.ports(args[0])) {
            new ZooVisitor(port).visit(new Visit(++visits));
        }
    }

    private void visit(Visit visit) throws Exception {
        ZooKeeper keeper = connect();
        try {
            create(keeper, root, new byte[0], CreateMode.PERSISTENT);
            visit.tell("right.large", large(keeper));
            visit.tell("right.many", many(keeper));
            visit.tell("failures", failures(keeper));
            watch(keeper);
            visit.tell("seen", seen);
        } finally {
            keeper.close();
        }
    }

    private ZooKeeper connect() throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper keeper =
                new ZooKeeper("127.0.0.1:" + port, SESSION_MILLIS, event -> connected.countDown());
        if (!connected.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no connection");
        }
        return keeper;
    }

    private static void create(ZooKeeper keeper, String path, byte[] data, CreateMode mode)
            throws KeeperException, InterruptedException {
        String created = keeper.create(path, data, Ids.OPEN_ACL_UNSAFE, mode);
        if (!created.equals(path)) {
            throw new IllegalStateException(created);
        }
    }

    private boolean large(ZooKeeper keeper) throws KeeperException, InterruptedException {
        byte[] large = Pattern.bytes(LARGE_BYTES);
        create(keeper, root + "/large", large, CreateMode.PERSISTENT);
        Stat stat = new Stat();
        return Arrays.equals(large, keeper.getData(root + "/large", false, stat))
                && stat.getDataLength() == LARGE_BYTES;
    }

    /** Creates and reads many nodes without waiting in between. */
    private boolean many(ZooKeeper keeper) throws KeeperException, InterruptedException {
        AtomicInteger created = new AtomicInteger();
        AtomicInteger read = new AtomicInteger();
        CountDownLatch left = new CountDownLatch(2 * NODES);
        for (int i = 0; i < NODES; i++) {
            byte[] data = Pattern.bytes(i);
            keeper.create(
                    node(i),
                    data,
                    Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT,
                    (code, path, context, name) -> {
                        created.addAndGet(code == 0 ? 1 : 0);
                        left.countDown();
                    },
                    null);
            keeper.getData(
                    node(i),
                    false,
                    (code, path, context, found, stat) -> {
                        read.addAndGet(code == 0 && Arrays.equals(data, found) ? 1 : 0);
                        left.countDown();
                    },
                    null);
        }
        return left.await(LIMIT_SECONDS, TimeUnit.SECONDS)
                && created.get() == NODES
                && read.get() == NODES
                && keeper.getChildren(root, false).size() == NODES + 1;
    }

    private String node(int i) {
        return root + "/node-" + i;
    }

    /** Refusals are the same. */
    private List<String> failures(ZooKeeper keeper) throws InterruptedException {
        List<String> failures = new ArrayList<>();
        try {
            create(keeper, node(0), new byte[0], CreateMode.PERSISTENT);
        } catch (KeeperException e) {
            failures.add(e.code().toString());
        }
        try {
            keeper.delete(root, -1);
        } catch (KeeperException e) {
            failures.add(e.code().toString());
        }
        try {
            Stat _ = keeper.setData(node(0), new byte[0], 77);
        } catch (KeeperException e) {
            failures.add(e.code().toString());
        }
        return failures;
    }

    /** Watches what another session does to a node and to one that ends with that session. */
    private void watch(ZooKeeper keeper) throws Exception {
        ZooKeeper other = connect();
        try {
            Stat _ = keeper.exists(root + "/mortal", this::event);
            create(other, root + "/mortal", new byte[0], CreateMode.EPHEMERAL);
            awaitEvent();
            byte[] _ = keeper.getData(node(1), this::event, null);
            Stat _ = other.setData(node(1), "changed".getBytes(US_ASCII), -1);
            awaitEvent();
            Stat _ = keeper.exists(root + "/mortal", this::event);
        } finally {
            other.close();
        }
        awaitEvent();
        seen.add(new String(keeper.getData(node(1), false, null), US_ASCII));
    }

    private void event(WatchedEvent event) {
        events.add(event.getType() + " " + event.getPath().substring(root.length()));
    }

    private void awaitEvent() throws InterruptedException {
        seen.add(String.valueOf(events.poll(LIMIT_SECONDS, TimeUnit.SECONDS)));
    }
}
