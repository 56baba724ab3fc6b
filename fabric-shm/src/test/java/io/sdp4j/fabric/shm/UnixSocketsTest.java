package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.UnixFd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class UnixSocketsTest extends ShmDirectory {
    private final EpollLoop loop = new EpollLoop("test-flood", Ends.THROWN::add);
    private final CountDownLatch fired = new CountDownLatch(1);
    private Path at;
    private volatile boolean over;

    @AfterEach
    void end() {
        loop.end();
    }

    /** A client that is there to be taken, and has gone. */
    private int comeAndGo() {
        int fd = UnixFd.open();
        int result = UnixFd.connect(fd, at.toString());
        UnixFd.close(fd);
        return result;
    }

    /** Method: whenever a client is taken, the next one comes. */
    @Test
    void clientsWithoutEndHoldUpNoTimer() throws Exception {
        at = dir.resolve("s");
        UnixSockets.Listening listening =
                new UnixSockets(loop)
                        .listen(
                                at,
                                new UnixSockets.Taker() {
                                    private boolean first = true;

                                    @Override
                                    public boolean mayCome() {
                                        return true;
                                    }

                                    @Override
                                    public void take(PeerSocket link) {
                                        link.close();
                                        if (first) {
                                            loop.schedule(fired::countDown, 0);
                                        }
                                        first = false;
                                        if (!over) {
                                            comeAndGo();
                                        }
                                    }

                                    @Override
                                    public void noneCame() {}
                                });
        try {
            assertEquals(0, comeAndGo());
            assertTrue(fired.await(20, TimeUnit.SECONDS));
        } finally {
            over = true;
            listening.close();
            Files.delete(at);
        }
    }
}
