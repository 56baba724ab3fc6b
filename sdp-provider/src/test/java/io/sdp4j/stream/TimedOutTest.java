package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.wire.Bsdh;
import java.net.SocketException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a peer that does not answer any more ends a stream as it ends one of the kernel's TCP, once
 * and apart from a reset. Method: a queue pair that tells of its end what the test wants.
 */
@Timeout(60)
final class TimedOutTest {
    /** The next completion of the client's queue pair. */
    private final Queue<Completion> last = new ConcurrentLinkedQueue<>();

    private Fabric ending(Fabric fabric) {
        return Shims.connecting(fabric, this::ending);
    }

    private QueuePair ending(QueuePair qp) {
        return Shims.completing(
                qp,
                Shims.around(
                        CompletionQueue.class,
                        qp.completions(),
                        (p, method, args) ->
                                switch (method.getName()) {
                                    case "poll" -> tell((Completion) args[0]);
                                    case "ready", "known" -> last.isEmpty() ? null : true;
                                    default -> null;
                                }));
    }

    /** Null where there is nothing to tell. */
    private Boolean tell(Completion c) {
        Completion end = last.poll();
        if (end == null) {
            return null;
        }
        c.opcode = end.opcode;
        c.status = end.status;
        c.count = end.count;
        c.slot = end.slot;
        c.byteLen = end.byteLen;
        c.wrId = end.wrId;
        return true;
    }

    private void endsWith(int opcode, WcStatus status) {
        Completion c = new Completion();
        c.opcode = opcode;
        c.status = status;
        c.count = 1;
        c.wrId = KeepAlive.PROBE;
        last.add(c);
    }

    /**
     * A killed process, which had taken all that was sent to it.
     *
     * @param unsentBytes what it had written and not sent
     */
    private void isKilled(int unsentBytes) {
        Completion c = new Completion();
        c.opcode = Completion.DISCONNECTED;
        c.status = WcStatus.RETRY_EXC_ERR;
        c.byteLen = unsentBytes == 0 ? 0 : Bsdh.BYTES + unsentBytes;
        last.add(c);
    }

    private static String readFails(OffloadStream s) {
        return assertThrows(SocketException.class, () -> s.tryRead(new byte[1], 0, 1)).getMessage();
    }

    private static String writeFails(OffloadStream s) {
        return assertThrows(SocketException.class, () -> s.tryWrite(new byte[1], 0, 1))
                .getMessage();
    }

    /** 5 = DISCONNECTED, 6 = ERROR, 4 = the answer to a probe. */
    @ParameterizedTest
    @CsvSource({
        "5, RESP_TIMEOUT_ERR, true",
        "5, RESP_TIMEOUT_ERR, false",
        "6, RNR_RETRY_EXC_ERR, true",
        "6, RNR_RETRY_EXC_ERR, false",
        "4, RESP_TIMEOUT_ERR, true",
        "4, RESP_TIMEOUT_ERR, false"
    })
    void silenceIsATimeOutThatIsToldOnce(int opcode, WcStatus status, boolean readFirst)
            throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(this::ending))) {
            endsWith(opcode, status);
            if (readFirst) {
                assertEquals("Connection timed out", readFails(pair.client));
            } else {
                assertEquals("Connection timed out", writeFails(pair.client));
            }
            assertEquals(-1, pair.client.tryRead(new byte[1], 0, 1));
            assertEquals("Broken pipe", writeFails(pair.client));
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /** Goal: a request that was only flushed by the end does not speak for it. */
    @Test
    void aFlushedProbeSaysNothing() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(this::ending))) {
            endsWith(Completion.WRITE, WcStatus.WR_FLUSH_ERR);
            assertEquals(0, pair.client.tryRead(new byte[1], 0, 1));
            endsWith(Completion.WRITE, WcStatus.WR_FLUSH_ERR);
            endsWith(Completion.DISCONNECTED, WcStatus.RESP_TIMEOUT_ERR);
            assertEquals("Connection timed out", readFails(pair.client));
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    @ParameterizedTest
    @CsvSource({"5, SUCCESS", "5, RETRY_EXC_ERR", "6, FATAL_ERR", "6, REM_OP_ERR"})
    void anotherEndIsAReset(int opcode, WcStatus status) throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(this::ending))) {
            endsWith(opcode, status);
            assertEquals("Connection reset", readFails(pair.client));
            assertEquals("Connection reset", readFails(pair.client));
            assertEquals("Broken pipe", writeFails(pair.client));
            assertEquals(status == WcStatus.RETRY_EXC_ERR, pair.client.peerVanished());
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /** Behaviour 16, of an urgent byte. */
    @Test
    void anUrgentByteToAKilledProcessVanishesAndTheNextOneFails() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(this::ending))) {
            isKilled(0);
            assertTrue(pair.client.tryWriteUrgent(1));
            assertEquals(
                    "Broken pipe",
                    assertThrows(SocketException.class, () -> pair.client.tryWriteUrgent(1))
                            .getMessage());
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void unsentBytesOfAKilledProcessCountAsReadWhenTheyAre(int unsentBytes) throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(this::ending))) {
            isKilled(unsentBytes);
            assertEquals(unsentBytes, pair.client.available());
            assertEquals(0, pair.client.info().bytesRead());
            assertEquals(unsentBytes, pair.client.tryRead(new byte[10], 0, 10));
            assertEquals(unsentBytes, pair.client.info().bytesRead());
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /** A half that the peer has ended in order stays so, whatever becomes of the connection. */
    @Test
    void silenceAfterTheEndOfTheStreamIsTheEnd() throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(fabric.provider(), fabric.provider(this::ending))) {
            pair.server.shutdownOutput();
            assertEquals(0, StreamPair.readFully(pair.client, 1).length);
            endsWith(Completion.DISCONNECTED, WcStatus.RESP_TIMEOUT_ERR);
            assertEquals(-1, pair.client.tryRead(new byte[1], 0, 1));
            assertEquals("Broken pipe", writeFails(pair.client));
            pair.client.close(false);
            pair.server.close(false);
        }
    }
}
