package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.testing.Proc;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: whatever cuts a stream, the other end is told what TCP would tell, operations on borrowed
 * buffers end with it, and all of its memory goes. Method: each cause, with a large write and a
 * large read under way at the other end, copied or lent.
 */
@Timeout(60)
final class AbortTest {
    private static final int MIB = 1 << 20;

    private TestFabric fabric;
    private StreamPair pair;
    private SdpStream client;
    private SdpStream server;
    private Operation write;
    private Operation read;

    private List<String> before;

    @BeforeEach
    void open() throws Exception {
        fabric = new TestFabric();
        before = memory(); // of other tests, until the collector comes
    }

    @AfterEach
    void shut() throws IOException {
        pair.close();
        fabric.close();
    }

    private void connect(boolean lends) throws Exception {
        pair = new StreamPair(fabric.provider(NeverReadingPeer.zcopy(lends)));
        client = (SdpStream) pair.client;
        server = (SdpStream) pair.server;
    }

    /** A write that the peer does not read, and a read for which nothing comes. */
    private void begin(boolean lends) throws IOException {
        if (!lends) {
            byte[] much = new byte[MIB];
            while (client.tryWrite(much, 0, much.length) > 0) {}
        }
        write = Operation.write(client, ByteBuffer.allocateDirect(8 * MIB));
        read = Operation.read(client, ByteBuffer.allocateDirect(MIB));
        assertEquals(lends, StreamPair.hasLoan(client));
        assertFalse(write.tried());
        assertFalse(read.tried());
    }

    /** The error of the write under way, or the next one if the peer has some of it. */
    private String writeFails() {
        Operation[] next = {write};
        while (true) {
            try {
                next[0].get();
            } catch (IOException e) {
                assertEquals(SocketException.class, e.getClass());
                next[0].giveUp();
                return e.getMessage();
            }
            next[0] = Operation.write(client, ByteBuffer.allocateDirect(MIB));
        }
    }

    private String readFails() {
        SocketException e = assertThrows(SocketException.class, read::get);
        read.giveUp();
        return e.getMessage();
    }

    /** As TCP tells it: once, to the first caller; the other hears of the consequences. */
    private void assertResetIsTold(boolean readFirst) throws IOException {
        if (readFirst) {
            assertEquals("Connection reset", readFails());
            assertEquals("Broken pipe", writeFails());
        } else {
            assertEquals("Connection reset by peer", writeFails());
            assertEquals(-1, read.get());
        }
    }

    /** Memory of connections that this process has mapped. */
    private static List<String> memory() throws IOException {
        return Proc.mappings("memfd:sdp4j");
    }

    private void assertNothingIsLeft() {
        assertFalse(StreamPair.hasLoan(client));
        client.close(false);
        assertAllIsReleased();
    }

    private void assertAllIsReleased() {
        await().atMost(Duration.ofSeconds(20)).until(() -> client.life().released());
        if (server != null) {
            assertFalse(StreamPair.hasLoan(server));
            await().atMost(Duration.ofSeconds(20)).until(() -> server.life().released());
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> before.containsAll(memory()));
    }

    /** Linger time zero, and unread data: a reset, told once, to the first caller. */
    @ParameterizedTest
    @CsvSource({
        "true, true, true",
        "true, true, false",
        "true, false, true",
        "true, false, false",
        "false, true, true",
        "false, true, false",
        "false, false, true",
        "false, false, false"
    })
    void reset(boolean abortive, boolean lends, boolean readFirst) throws Exception {
        connect(lends);
        begin(lends);
        server.ready(); // it has got what it does not read
        server.close(abortive);
        assertResetIsTold(readFirst);
        assertNothingIsLeft();
    }

    /** Data for an application that has closed in order: AbortConn, after the end of the stream. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void dataAfterClose(boolean lends) throws Exception {
        connect(lends);
        server.close(false);
        read = Operation.read(client, ByteBuffer.allocateDirect(MIB));
        assertEquals(-1, read.get());
        write = Operation.write(client, ByteBuffer.allocateDirect(MIB));
        assertEquals("Broken pipe", writeFails());
        read = Operation.read(client, ByteBuffer.allocateDirect(MIB));
        assertEquals(-1, read.get());
        assertNothingIsLeft();
    }

    /** Our own end cuts: its operations are over before close returns. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ourOwnEnd(boolean lends) throws Exception {
        connect(lends);
        begin(lends);
        server.ready();
        client.close(true);
        assertFalse(StreamPair.hasLoan(client));
        assertThrows(
                SocketException.class,
                () -> {
                    readFully(server, 64 * MIB);
                });
        server.close(false);
        assertAllIsReleased();
    }

    /** The peer's process is killed, with data of ours that it has not read. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void killed(boolean lends, boolean readFirst) throws Exception {
        Process child = NeverReadingPeer.start(fabric.directory(), lends);
        try {
            pair =
                    new StreamPair(
                            fabric.provider(NeverReadingPeer.zcopy(lends)),
                            NeverReadingPeer.port(child));
            client = (SdpStream) pair.client;
            begin(lends);
            child.destroyForcibly().waitFor();
            assertResetIsTold(readFirst);
            assertNothingIsLeft();
        } finally {
            child.destroyForcibly();
        }
    }
}
