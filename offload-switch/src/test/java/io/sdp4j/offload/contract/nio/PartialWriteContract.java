package io.sdp4j.offload.contract.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.contract.Task.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocking writes of more than fits, on virtual threads and beside them. */
interface PartialWriteContract extends NioChannels {
    /** More than any channel takes without a reader. */
    int MUCH = 32 << 20;

    private static Callable<Long> writing(SocketChannel c, int bytes, boolean gathering) {
        ByteBuffer first = ByteBuffer.allocateDirect(bytes / 2);
        ByteBuffer second = ByteBuffer.allocateDirect(bytes - bytes / 2);
        ByteBuffer one = ByteBuffer.allocateDirect(bytes);
        return () -> gathering ? c.write(new ByteBuffer[] {first, second}) : (long) c.write(one);
    }

    /** Writes on a virtual thread until a write waits which has moved nothing. */
    private static Task<Void> blockedWriter(SocketChannel c, boolean gathering) throws Exception {
        Task<Void> writer =
                Task.start(
                        Kind.VIRTUAL,
                        () -> {
                            while (true) {
                                long n = writing(c, 256 * 1024, gathering).call();
                                assertTrue(n > 0, () -> "wrote " + n);
                            }
                        });
        writer.awaitBlocked();
        return writer;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("81: a virtual thread's write returns once it has moved something")
    default void returnsWhatHasMoved(boolean gathering) throws Exception {
        try (var p = pair()) {
            long n = Task.start(Kind.VIRTUAL, writing(p.client(), MUCH, gathering)).get();
            assertTrue(n > 0 && n < MUCH, () -> "wrote " + n);
            Nio.drain(p.server(), n);
            // the channel has become one that does not wait for the rest, for all writers
            long again = Task.start(Kind.PLATFORM, writing(p.client(), MUCH, gathering)).get();
            assertTrue(again > 0 && again < MUCH, () -> "wrote " + again);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("81: a platform thread's write goes on until all has moved")
    default void platformThreadWritesAll(boolean gathering) throws Exception {
        try (var p = pair()) {
            Task<Long> writer = Task.start(Kind.PLATFORM, writing(p.client(), MUCH, gathering));
            writer.awaitBlocked();
            Nio.drain(p.server(), MUCH);
            assertEquals(MUCH, writer.get());
        }
    }

    @ParameterizedTest
    @CsvSource({"false,false", "false,true", "true,false", "true,true"})
    @DisplayName("36, 81: a virtual thread's write that waits has moved nothing, and says so")
    default void endsAsUntouched(boolean gathering, boolean interrupt) throws Exception {
        try (var p = pair()) {
            Task<Void> writer = blockedWriter(p.client(), gathering);
            end(p.client(), writer.thread(), interrupt);
            if (interrupt || !writesByKernel()) {
                assertSame(ending(interrupt), writer.thrown().getClass());
            } else { // the JDK tries once more after the close, and the kernel may take something
                assertInstanceOf(ClosedChannelException.class, writer.thrown());
            }
            assertFalse(p.client().isOpen());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("36, 81: the Socket of a channel writes all, or says that it was closed")
    default void adaptorWritesAll(Kind kind) throws Exception {
        byte[] much = new byte[MUCH];
        try (var p = pair()) {
            OutputStream out = p.client().socket().getOutputStream();
            Task<Void> writer = writer(kind, out, much);
            writer.awaitBlocked();
            Nio.drain(p.server(), MUCH);
            writer.get();
        }
        for (boolean interrupt : new boolean[] {false, true}) {
            try (var p = pair()) {
                Task<Void> writer = writer(kind, p.client().socket().getOutputStream(), much);
                writer.awaitBlocked();
                end(p.client(), writer.thread(), interrupt);
                Expect.is(ending(interrupt), null, writer.thrown());
            }
        }
        try (var p = pair()) {
            Task<Void> writer = writer(kind, p.client().socket().getOutputStream(), much);
            writer.awaitBlocked();
            p.client().shutdownOutput();
            Expect.is(IOException.class, "Broken pipe", writer.thrown());
            assertTrue(p.client().isOpen());
        }
    }

    private static Task<Void> writer(Kind kind, OutputStream out, byte[] bytes) {
        return Task.start(
                kind,
                () -> {
                    out.write(bytes);
                    return null;
                });
    }

    private static void end(SocketChannel c, Thread writer, boolean interrupt) throws Exception {
        if (interrupt) {
            writer.interrupt();
        } else {
            c.close();
        }
    }

    private static Class<? extends Throwable> ending(boolean interrupt) {
        return interrupt ? ClosedByInterruptException.class : AsynchronousCloseException.class;
    }
}
