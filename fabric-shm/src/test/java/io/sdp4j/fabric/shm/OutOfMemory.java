package io.sdp4j.fabric.shm;

import static org.awaitility.Awaitility.await;

import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.UnixFd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A JVM that has no heap left for a moment, while a client comes, and tells what it has lost. To be
 * run without buffers of threads, from which the event thread could go on for a while.
 */
final class OutOfMemory {
    private static final int LARGEST_BYTES = 1 << 20;

    /** Of an array. */
    private static final int LEAST_BYTES = 16;

    private final AtomicInteger places = new AtomicInteger();
    private final AtomicReference<Throwable> thrown = new AtomicReference<>();
    private final EpollLoop loop = new EpollLoop("short-loop", thrown::set);
    private final UnixSockets sockets = new UnixSockets(loop);

    /** The event thread is to wait before it takes a client. */
    private volatile boolean hold;

    private volatile boolean held;

    /** The heap, in a chain. */
    private Object[] all;

    private OutOfMemory() {}

    public static void main(String[] args) throws Exception {
        System.out.println(new OutOfMemory().listen(Path.of(args[0]).resolve("s")));
        System.exit(0);
    }

    /** Places for hand-shakes, and sockets, that are lost. */
    private String listen(Path at) throws Exception {
        sockets.listen(at, new Counting());
        comeAndGo(at); // loads classes while that can be done
        thrown.set(new Throwable());
        waitWithoutHeap();
        thrown.set(null);
        long before = countSockets();
        hold = true;
        int unlucky = UnixFd.open();
        UnixFd.connect(unlucky, at.toString());
        await().until(() -> held);
        waitWithoutHeap();
        UnixFd.close(unlucky);
        comeAndGo(at);
        return thrown + ": " + places + " places, " + (countSockets() - before) + " sockets";
    }

    private void comeAndGo(Path at) throws Exception {
        PeerSocket client = sockets.connect(at, () -> {});
        await().until(() -> client.receive(new byte[1], 0, 1) < 0);
        client.close();
        CountDownLatch settled = new CountDownLatch(1);
        loop.execute(settled::countDown);
        settled.await();
    }

    /** Until the event thread has met that. Allocates nothing itself meanwhile. */
    private void waitWithoutHeap() {
        for (int bytes = LARGEST_BYTES; bytes >= LEAST_BYTES; bytes /= 4) {
            try {
                while (true) {
                    Object[] more = new Object[bytes / LEAST_BYTES];
                    more[0] = all;
                    all = more;
                }
            } catch (OutOfMemoryError e) {
                // as wanted
            }
        }
        hold = false;
        while (thrown.get() == null) {
            Thread.onSpinWait();
        }
        all = null;
    }

    private static long countSockets() throws IOException {
        long n = 0;
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            for (Path fd : all.toList()) {
                n += isSocket(fd) ? 1 : 0;
            }
        }
        return n;
    }

    private static boolean isSocket(Path fd) {
        try {
            return Files.readSymbolicLink(fd).toString().startsWith("socket:");
        } catch (IOException e) {
            return false; // it was the listing's own
        }
    }

    /** Counts places that are in use, and closes what comes. */
    private final class Counting implements UnixSockets.Taker {
        @Override
        public boolean mayCome() {
            while (hold) {
                held = true;
                Thread.onSpinWait();
            }
            places.incrementAndGet();
            return true;
        }

        @Override
        public void noneCame() {
            places.decrementAndGet();
        }

        @Override
        public void take(PeerSocket link) {
            places.decrementAndGet();
            link.close();
        }
    }
}
