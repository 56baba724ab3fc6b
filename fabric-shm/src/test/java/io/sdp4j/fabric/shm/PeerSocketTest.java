package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.linux.UnixFd;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

final class PeerSocketTest extends ShmDirectory {
    /** A listener that has left and a shortage of this side are different reasons. */
    @Test
    void onlyThePeersEndIsAnEndOfTheStream() throws IOException {
        String path = dir.resolve("s").toString();
        int listener = UnixFd.listen(path, 1);
        int peer = UnixFd.open();
        assertEquals(0, UnixFd.connect(peer, path));
        PeerSocket link = new PeerSocket(UnixFd.accept(listener), Ends.loop());
        byte[] bytes = new byte[4096];
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
        link.close();
        UnixFd.close(listener);
        Files.delete(dir.resolve("s"));
    }
}
