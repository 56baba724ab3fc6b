package io.sdp4j.offload.contract.nio;

import io.sdp4j.offload.contract.Task;
import java.nio.ByteBuffer;
import java.util.Random;

/**
 * The steps of a {@link RandomProgram} that move bytes. At most {@link #UNREAD} of them are on
 * their way to an end, which every implementation must take without waiting.
 */
final class ProgramData {
    private static final int UNREAD = 8 * 1024;

    private final Random random;
    private final ProgramTrace trace;

    ProgramData(Random random, ProgramTrace trace) {
        this.random = random;
        this.trace = trace;
    }

    /** Writes a little, in one of several ways. */
    void write(End e) throws Exception {
        int n = 1 + random.nextInt(2000);
        int form = random.nextInt(4);
        if (e.closed || e.outputShut) {
            trace.log(e.name + " write", () -> e.channel.write(ByteBuffer.allocate(n)));
            return;
        }
        if (e.peer.closed) {
            writeWithoutReader(e);
            return;
        }
        if (e.peer.inputShut || e.peer.unread() + n > UNREAD) {
            return;
        }
        ByteBuffer b = form % 2 == 0 ? ByteBuffer.allocate(n) : ByteBuffer.allocateDirect(n);
        for (int i = 0; i < n; i++) {
            b.put(i, e.pattern(e.sent + i));
        }
        int half = n / 2;
        trace.log(
                e.name + " write " + n,
                () ->
                        form < 2
                                ? e.channel.write(b)
                                : e.channel.write(
                                        new ByteBuffer[] {
                                            b.slice(0, half), b.slice(half, n - half)
                                        }));
        e.sent += n;
    }

    /** The first write may still vanish, so only what it comes to is written down. */
    private void writeWithoutReader(End e) {
        boolean first = e.peer.aborted && !e.resetRead && !e.resetWritten;
        Throwable t = Nio.awaitThrown(() -> e.channel.write(ByteBuffer.allocate(1)));
        trace.add(
                e.name
                        + " write without reader -> "
                        + t.getClass().getName()
                        + ": "
                        + t.getMessage());
        if (first) {
            e.resetWritten = true;
        }
        e.wroteToClosed = true;
    }

    void read(End e) throws Exception {
        int n = 1 + random.nextInt(4000);
        int form = random.nextInt(4);
        ByteBuffer b = form % 2 == 0 ? ByteBuffer.allocate(n) : ByteBuffer.allocateDirect(n);
        if (e.closed || e.inputShut) {
            trace.log(e.name + " read", () -> e.channel.read(b));
            return;
        }
        if (e.unread() > 0) {
            int expected = (int) Math.min(n, e.unread());
            trace.log(
                    e.name + " read " + expected,
                    () -> {
                        Nio.readFully(e.channel, b.limit(expected));
                        for (int i = 0; i < expected; i++) {
                            if (b.get(i) != e.peer.pattern(e.received + i)) {
                                return "wrong at " + i;
                            }
                        }
                        return "right";
                    });
            e.received += expected;
        } else if (e.over()) {
            trace.log(e.name + " read at the end", () -> Nio.awaitRead(e.channel, b));
            e.resetRead |= e.peer.aborted && !e.resetWritten;
        } else {
            trace.log(
                    e.name + " read of nothing",
                    () ->
                            form < 2
                                    ? e.channel.read(b)
                                    : e.channel.read(new ByteBuffer[] {b, ByteBuffer.allocate(1)}));
        }
    }

    /** More than fits, read as it comes. */
    void pump(End e) {
        if (e.closed || e.outputShut || e.peer.closed || e.peer.inputShut || e.peer.unread() > 0) {
            return;
        }
        int length = 1 + random.nextInt(1 << 19);
        trace.log(
                e.name + " pump " + length,
                () -> {
                    ByteBuffer out = ByteBuffer.allocate(length);
                    ByteBuffer in = ByteBuffer.allocateDirect(length);
                    for (int i = 0; i < length; i++) {
                        out.put(i, e.pattern(e.sent + i));
                    }
                    long start = System.nanoTime();
                    while (in.hasRemaining()
                            && System.nanoTime() - start < ProgramTrace.PATIENCE_NANOS) {
                        e.channel.write(out);
                        e.peer.channel.read(in);
                    }
                    return in.flip().equals(out.flip());
                });
        e.sent += length;
        e.peer.received += length;
    }

    /** A thread that waits for data, and one of the things that end its waiting. */
    void blockedRead(End e) throws Exception {
        boolean keyed = e.channel.isRegistered();
        boolean rare = random.nextInt(3) == 0; // waiting for a thread to wait costs time
        if (!rare || e.closed || e.inputShut || e.over() || e.unread() > 0 || keyed) {
            return;
        }
        Task.Kind kind = random.nextBoolean() ? Task.Kind.PLATFORM : Task.Kind.VIRTUAL;
        e.channel.configureBlocking(true);
        Task<String> reader =
                Task.start(
                        kind,
                        () ->
                                ProgramTrace.outcome(() -> e.channel.read(ByteBuffer.allocate(1)))
                                        + " "
                                        + Thread.currentThread().isInterrupted());
        reader.awaitBlocked();
        int how = random.nextInt(5);
        switch (how) {
            case 0 -> {
                e.channel.close();
                e.closed = true;
            }
            case 1 -> {
                reader.thread().interrupt();
                e.closed = true;
            }
            case 2 -> {
                e.channel.shutdownInput();
                e.inputShut = true;
            }
            case 3 -> {
                e.peer.channel.shutdownOutput();
                e.peer.outputShut = true;
            }
            default -> {
                e.peer.channel.write(ByteBuffer.wrap(new byte[] {e.peer.pattern(e.peer.sent)}));
                e.peer.sent++;
                e.received++;
            }
        }
        trace.add(e.name + " blocked read ended by " + how + " -> " + reader.get());
        if (!e.closed) {
            e.channel.configureBlocking(false);
        }
    }
}
