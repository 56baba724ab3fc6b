package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static io.sdp4j.stream.StreamPair.writeFully;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a stream that an Error may have left with bytes missing ends with a reset at both ends.
 * Method: queue pairs of which some calls throw, once, as if the stack were full.
 */
@Timeout(60)
final class ErrorUnderTheLockTest {
    private final TestFabric fabric = TestFabric.opened().neverTrimming();
    private final Set<String> throwing = ConcurrentHashMap.newKeySet();
    private StreamPair pair;

    @BeforeEach
    void connect() throws Exception {
        pair = new StreamPair(fabric.provider(), fabric.provider(this::throwing));
    }

    @AfterEach
    void close() throws IOException {
        pair.client.close(true);
        pair.server.close(true);
        pair.close();
        fabric.close();
    }

    private Fabric throwing(Fabric fabric) {
        return Shims.connecting(fabric, this::throwing);
    }

    private QueuePair throwing(QueuePair qp) {
        return Shims.around(
                QueuePair.class,
                qp,
                (p, method, args) -> {
                    if (throwing.remove(method.getName())) {
                        throw new StackOverflowError();
                    }
                    return null;
                });
    }

    private SocketException failure(OffloadStream reader) {
        return assertThrows(
                SocketException.class,
                () -> {
                    for (int n = 0; n >= 0; n = reader.tryRead(new byte[100], 0, 100)) {
                        reader.await(OffloadStream.READ, TimeUnit.SECONDS.toNanos(10));
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"takeSendSlot", "putHeader", "postSend"})
    void ofAWriteCutsTheConnection(String call) throws Exception {
        throwing.add(call);
        assertThrows(StackOverflowError.class, () -> pair.client.tryWrite(new byte[10], 0, 10));
        SocketException e =
                assertThrows(
                        SocketException.class, () -> pair.client.tryWrite(new byte[10], 0, 10));
        assertEquals("Connection reset by peer", e.getMessage());
        assertEquals("Connection reset", failure(pair.server).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"takeSendSlot", "putHeader", "postSend"})
    void ofAWriteBeforeACloseCutsTheConnection(String call) {
        throwing.add(call);
        assertThrows(StackOverflowError.class, () -> pair.client.tryWrite(new byte[10], 0, 10));
        pair.client.close(false);
        assertEquals("Connection reset", failure(pair.server).getMessage());
    }

    /** Goal: the same on the short way of a stream that has carried data. */
    @ParameterizedTest
    @ValueSource(strings = {"takeSlotNow", "copyIn", "send"})
    void ofALaterWriteCutsTheConnection(String call) throws Exception {
        talk();
        throwing.add(call);
        assertThrows(StackOverflowError.class, () -> pair.client.tryWrite(new byte[10], 0, 10));
        assertThrows(SocketException.class, () -> pair.client.tryWrite(new byte[10], 0, 10));
        assertEquals("Connection reset", failure(pair.server).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"postReceive", "readHeader"})
    void ofALaterReadCutsTheConnection(String call) throws Exception {
        talk();
        writeFully(pair.server, new byte[10]);
        pair.client.await(OffloadStream.READ, TimeUnit.SECONDS.toNanos(10));
        throwing.add(call);
        assertThrows(StackOverflowError.class, () -> pair.client.tryRead(new byte[10], 0, 10));
        assertEquals("Connection reset", failure(pair.client).getMessage());
        assertEquals("Connection reset", failure(pair.server).getMessage());
    }

    /** Goal: the same where there is no stack to give the slot back. */
    @Test
    void ofALaterCopyCutsTheConnection() throws Exception {
        talk();
        throwing.add("copyIn");
        throwing.add("returnSendSlot");
        assertThrows(StackOverflowError.class, () -> pair.client.tryWrite(new byte[10], 0, 10));
        pair.client.close(false);
        assertEquals("Connection reset", failure(pair.server).getMessage());
    }

    private void talk() throws Exception {
        for (int i = 0; i < 2; i++) {
            writeFully(pair.client, new byte[10]);
            readFully(pair.server, 10);
            writeFully(pair.server, new byte[10]);
            readFully(pair.client, 10);
        }
    }

    /** Goal: the same where there is no stack to give back the slot that was to be filled. */
    @Test
    void ofALongWriteCutsTheConnection() {
        throwing.add("copyIn");
        throwing.add("returnSendSlot");
        byte[] much = new byte[10_000];
        assertThrows(StackOverflowError.class, () -> pair.client.tryWrite(much, 0, much.length));
        pair.client.close(false);
        assertEquals("Connection reset", failure(pair.server).getMessage());
    }

    /** Goal: what a read has not told of is read again. */
    @Test
    void ofAReadLosesNothing() throws Exception {
        byte[] all = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        writeFully(pair.server, all);
        pair.client.await(OffloadStream.READ, TimeUnit.SECONDS.toNanos(10));
        throwing.add("readToEnd");
        assertThrows(StackOverflowError.class, () -> readFully(pair.client, all.length));
        assertArrayEquals(all, readFully(pair.client, all.length));
    }
}
