package io.sdp4j.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.nio.SwitchChannels;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: blocking channels over SDP behave as the JDK's. Method: both ends are ours. */
@SuppressWarnings("try") // closing early is the point of some
class SdpChannelTest extends ChannelsOverSdp {
    @Test
    void blockingChannelsCarryBytes() throws Exception {
        try (var p = pair()) {
            send(p.client(), "question");
            assertEquals("question", receive(p.server(), 8));
            send(p.server(), "answer");
            assertEquals("answer", receive(p.client(), 6));
            assertEquals(8, SwitchChannels.explain(p.client()).orElseThrow().bytesWritten());
            assertEquals(p.client().getLocalAddress(), p.server().getRemoteAddress());
            assertEquals(p.client().getRemoteAddress(), p.server().getLocalAddress());
            assertTrue(
                    p.client()
                            .toString()
                            .startsWith("java.nio.channels.SocketChannel[connected local=/"),
                    p.client().toString());
            p.client().shutdownOutput();
            assertEquals(-1, p.server().read(ByteBuffer.allocate(1)));
            assertTrue(
                    p.client().toString().contains("connected oshut local="),
                    p.client().toString());
        }
    }

    @ParameterizedTest
    @EnumSource(Task.Kind.class)
    void aBlockedReaderIsFreed(Task.Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Integer> reader = blocked(kind, p.client());
            p.client().close();
            assertInstanceOf(AsynchronousCloseException.class, reader.thrown());
        }
        try (var p = pair()) {
            Task<Integer> reader = blocked(kind, p.client());
            reader.thread().interrupt();
            assertInstanceOf(ClosedByInterruptException.class, reader.thrown());
            assertFalse(p.client().isOpen());
        }
        try (var p = pair()) {
            Task<Integer> reader = blocked(kind, p.client());
            p.client().shutdownInput();
            assertEquals(-1, reader.get());
        }
    }

    private static Task<Integer> blocked(Task.Kind kind, SocketChannel c) throws Exception {
        Task<Integer> reader = Task.start(kind, () -> c.read(ByteBuffer.allocate(1)));
        reader.awaitBlocked();
        return reader;
    }

    @Test
    void scatterGatherAndFileTransfersAreExact() throws Exception {
        byte[] data = new byte[3_000_000];
        new Random(7).nextBytes(data);
        Path file = Files.createTempFile("sdp4j-t", ".bin");
        try (var p = pair()) {
            Files.write(file, data);
            CompletableFuture<byte[]> got =
                    CompletableFuture.supplyAsync(() -> readAll(p.server(), data.length + 13));
            try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
                long sent = 0;
                while (sent < data.length) {
                    sent += from.transferTo(sent, data.length - sent, p.client());
                }
            }
            ByteBuffer[] parts = {
                ByteBuffer.wrap("head".getBytes(US_ASCII)),
                ByteBuffer.allocate(0),
                ByteBuffer.wrap("body".getBytes(US_ASCII)).asReadOnlyBuffer(),
                ByteBuffer.wrap("-tail-".getBytes(US_ASCII), 1, 5)
            };
            assertEquals(13, p.client().write(parts));
            byte[] all = got.get(20, TimeUnit.SECONDS);
            assertArrayEquals(data, java.util.Arrays.copyOf(all, data.length));
            assertEquals("headbodytail-", new String(all, data.length, 13, US_ASCII));
        } finally {
            Files.delete(file);
        }
    }

    private static byte[] readAll(SocketChannel from, int bytes) {
        try {
            byte[] all = new byte[bytes];
            ByteBuffer[] into = {ByteBuffer.wrap(all, 0, 10), ByteBuffer.wrap(all, 10, bytes - 10)};
            while (into[1].hasRemaining() && from.read(into) >= 0) {
                Thread.onSpinWait();
            }
            return all;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void adaptorAndStreamsWork() throws Exception {
        try (var p = pair()) {
            Socket socket = p.client().socket();
            assertEquals(p.client(), socket.getChannel());
            assertTrue(socket.isConnected());
            socket.setSoTimeout(20);
            assertThrows(
                    java.net.SocketTimeoutException.class, () -> socket.getInputStream().read());
            send(p.server(), "abc");
            assertEquals('a', socket.getInputStream().read());
            socket.setTcpNoDelay(true);
            assertTrue(socket.getTcpNoDelay());
            assertTrue(p.client().getOption(StandardSocketOptions.TCP_NODELAY));
            assertTrue(p.server().socket().getReuseAddress(), "as an accepted one");
            InputStream in = Channels.newInputStream(p.client());
            OutputStream out = Channels.newOutputStream(p.server());
            out.write("xyz".getBytes(US_ASCII));
            assertArrayEquals("bcxyz".getBytes(US_ASCII), in.readNBytes(5));
        }
    }
}
