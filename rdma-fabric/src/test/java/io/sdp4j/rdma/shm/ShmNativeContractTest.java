package io.sdp4j.rdma.shm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.rdma.CompletionQueue;
import io.sdp4j.rdma.Fabric;
import io.sdp4j.rdma.FabricContract;
import io.sdp4j.rdma.QueuePair;
import io.sdp4j.rdma.os.UnixFd;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract with the connecting end true and the listening end true for native mode. */
final class ShmNativeContractTest extends FabricContract {
    private Path dir;

    private Path directory() throws Exception {
        if (dir == null) {
            dir = Ends.directory();
        }
        return dir;
    }

    @Override
    protected void afterClose() throws Exception {
        assertEquals(List.of(), Ends.remove(dir));
        assertEquals(List.of(), List.copyOf(Ends.THROWN));
    }

    @Override
    protected Fabric openActive() throws Exception {
        return Ends.fabric(directory(), true);
    }

    @Override
    protected Fabric openPassive() throws Exception {
        return Ends.fabric(directory(), true);
    }

    private static void sendQuietly(QueuePair from) {
        from.postSend(from.takeSendSlot(), 16, QueuePair.QUIET);
    }

    private static boolean readable(int fd) {
        return UnixFd.awaitReadable(fd, 0); // a bell is there when the post that rang has returned
    }

    @Test
    void quietMessagesRingOnlyForWhoWantsThem() throws Exception {
        Pair p = connect();
        CompletionQueue b = p.b().completions();
        int fd = b.descriptor();
        for (int i = 0; i < 50; i++) {
            assertTrue(b.armDescriptor(false));
            sendQuietly(p.a());
            assertFalse(readable(fd), "quiet");
            assertFalse(b.armDescriptor(false), "but there");
            assertEquals(16, receive(p.b()).length);
            assertTrue(b.armDescriptor(false));
            send(p.a(), bytes(i, 9));
            assertTrue(readable(fd), "not quiet");
            assertArrayEquals(bytes(i, 9), receive(p.b()));
            assertTrue(b.armDescriptor(true));
            sendQuietly(p.a());
            assertTrue(readable(fd), "wanted");
            assertEquals(16, receive(p.b()).length);
        }
    }

    /** Goal: a bell that nobody asked for is gone soon. Method: rings, and asks twice. */
    @Test
    void anUnwantedBellDoesNotKeepAPollerBusy() throws Exception {
        Pair p = connect();
        CompletionQueue b = p.b().completions();
        int fd = b.descriptor();
        for (int i = 0; i < 50; i++) {
            assertTrue(b.armDescriptor(true));
            ((ShmQueuePair) p.a()).ring();
            assertTrue(readable(fd));
            assertTrue(b.armDescriptor(true));
            assertTrue(b.armDescriptor(true));
            assertFalse(readable(fd));
            send(p.a(), bytes(i, 9));
            assertTrue(readable(fd), "what was asked for still comes");
            assertArrayEquals(bytes(i, 9), receive(p.b()));
        }
    }
}
