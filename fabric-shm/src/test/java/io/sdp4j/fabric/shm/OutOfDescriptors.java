package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.StrangeFd;
import io.sdp4j.linux.TcpSocketFd;
import io.sdp4j.linux.UnixFd;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A JVM of few descriptors that uses them all up, and tells what becomes of a listener, of the look
 * at a client's socket, of an event loop and of the search for a rendezvous directory meanwhile. To
 * be run with a low {@code ulimit -n}.
 */
final class OutOfDescriptors {
    private static final int ROUSED = 20;
    private static final int CALLS = 30;

    private final ArrayDeque<Integer> taken = new ArrayDeque<>();

    private OutOfDescriptors() {}

    public static void main(String[] args) throws Exception {
        OutOfDescriptors me = new OutOfDescriptors();
        System.out.println(
                switch (args[1]) {
                    case "listen" -> me.listen(Path.of(args[0]));
                    case "loop" -> me.loop();
                    case "meet" -> me.meet(Path.of(args[0]));
                    default -> me.look();
                });
        System.exit(0);
    }

    private void takeAll() {
        // loads classes while that can be done
        Ends.loop().schedule(() -> {}, 0);
        assertFalse(StrangeFd.behind());
        assertNotNull(TcpSocketFd.fault(0, null));
        for (int fd = UnixFd.open(); fd >= 0; fd = UnixFd.open()) {
            taken.add(fd);
        }
    }

    /** Milliseconds between the first and the last of many attempts to take a client. */
    private String listen(Path dir) throws Exception {
        Attempts attempts = new Attempts();
        UnixSockets sockets = new UnixSockets(Ends.loop());
        Path at = dir.resolve("s");
        UnixSockets.Listening listening = sockets.listen(at, attempts);
        sockets.connect(at, () -> {});
        takeAll();
        CountDownLatch roused = new CountDownLatch(1);
        Ends.loop()
                .execute(
                        () -> {
                            attempts.open = true;
                            for (int n = 0; n < ROUSED; n++) {
                                listening.resume();
                            }
                            Ends.loop().execute(roused::countDown);
                        });
        roused.await();
        long first = System.nanoTime();
        attempts.left.await();
        return String.valueOf(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - first));
    }

    /** Lets no client come before it is open, and takes none. */
    private static final class Attempts implements UnixSockets.Taker {
        final CountDownLatch left = new CountDownLatch(ROUSED + CALLS);
        volatile boolean open;

        @Override
        public boolean mayCome() {
            return open;
        }

        @Override
        public void noneCame() {
            left.countDown();
        }

        @Override
        public void take(PeerSocket link) {
            throw new AssertionError("there was a descriptor left");
        }
    }

    /** Whether a loop that is made now is of use, and later. */
    private String loop() throws InterruptedException {
        int watched = UnixFd.open();
        takeAll();
        EpollLoop late = new EpollLoop("late", Throwable::printStackTrace);
        CountDownLatch ran = new CountDownLatch(1);
        late.execute(ran::countDown);
        long none = late.watch(watched, _ -> {});
        Linux.close(taken.remove());
        Linux.close(taken.remove());
        boolean some = late.watch(watched, _ -> {}) > 0;
        ran.await();
        return Linux.text(none) + ", " + some;
    }

    /** Why there is no place to listen in, and how many warnings there were. */
    private String meet(Path dir) throws FabricException {
        List<String> warnings = new ArrayList<>();
        Rendezvous rendezvous =
                new Rendezvous(new RendezvousDirectories(dir, Ends.UID), warnings::add);
        // loads classes, too
        rendezvous.forListening().close();
        FabricException e = new FabricException(FabricException.Cause.CLOSED, "");
        takeAll();
        try {
            rendezvous.forListening().close();
        } catch (FabricException thrown) {
            e = thrown;
        }
        return e.why() + ", " + warnings;
    }

    /** The findings before and after there is a descriptor to look with. */
    private String look() throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var socket = SocketChannel.open().bind(any)) {
            InetSocketAddress own = (InetSocketAddress) socket.getLocalAddress();
            int shown = socket();
            takeAll();
            String none = TcpSocketFd.fault(shown, own);
            Linux.close(taken.remove());
            return none + ", " + TcpSocketFd.fault(shown, own);
        }
    }

    /** The newest socket of this process. */
    private static int socket() throws IOException {
        for (int fd = 100; ; fd--) {
            Path link = Path.of("/proc/self/fd/" + fd);
            if (Files.exists(link, LinkOption.NOFOLLOW_LINKS)
                    && Files.readSymbolicLink(link).toString().startsWith("socket:")) {
                return fd;
            }
        }
    }
}
