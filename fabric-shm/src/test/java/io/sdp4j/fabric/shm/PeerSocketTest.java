package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.linux.Linux;
import io.sdp4j.linux.UnixFd;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PeerSocketTest extends ShmDirectory {
    private final byte[] bytes = new byte[4096];
    private int listener;
    private int peer;
    private PeerSocket link;

    @BeforeEach
    void connect() {
        String path = dir.resolve("s").toString();
        listener = UnixFd.listen(path, 1);
        peer = UnixFd.open();
        assertEquals(0, UnixFd.connect(peer, path));
        link = new PeerSocket(UnixFd.accept(listener), Ends.loop());
    }

    @AfterEach
    void close() throws IOException {
        link.close();
        UnixFd.closeListener(listener);
        Files.delete(dir.resolve("s"));
    }

    /** A listener that has left and a shortage of this side are different reasons. */
    @Test
    void onlyThePeersEndIsAnEndOfTheStream() {
        IOException full =
                assertThrows(
                        IOException.class,
                        () -> {
                            while (true) {
                                link.send(bytes, bytes.length, -1);
                            }
                        });
        assertFalse(full instanceof EOFException, full::toString);
        UnixFd.close(peer);
        assertThrows(EOFException.class, () -> link.send(bytes, 1, -1));
    }

    /** Though the kernel shows it with the bytes before them, if it is asked for no more. */
    @Test
    void aDescriptorComesWithItsOwnBytes() throws IOException {
        assertEquals(64, UnixFd.send(peer, bytes, 0, 64, -1, -1));
        assertEquals(1, UnixFd.send(peer, bytes, 0, 1, listener, -1));
        assertEquals(64, link.receive(bytes, 0, 64));
        assertEquals(-1, link.takeDescriptor());
        assertEquals(1, link.receive(bytes, 0, 64));
        int came = link.takeDescriptor();
        assertTrue(came >= 0);
        Linux.close(came);
        UnixFd.close(peer);
    }
}
