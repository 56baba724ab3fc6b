package io.sdp4j.offload.contract.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import io.sdp4j.offload.contract.Task;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Some steps with channels and selectors, chosen by a seed, and a line for each that says what came
 * of it. The lines of one seed are the same on every run and every implementation: steps wait for
 * what must come, and what sizes and times decide is not written down.
 *
 * <p>Connections are non-blocking except while a step needs it otherwise. At most {@link #UNREAD}
 * bytes are on their way, which every implementation must take without waiting.
 */
final class RandomProgram implements AutoCloseable {
    private static final int UNREAD = 8 * 1024;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final NioChannels on;
    private final Random random;
    private final List<String> trace = new ArrayList<>();
    private final List<End> ends = new ArrayList<>();
    private ServerSocketChannel listener;
    private Selector selector;
    private int connections;

    private RandomProgram(NioChannels on, long seed) throws IOException {
        this.on = on;
        random = new Random(seed);
        listener = on.listen(8);
        selector = on.provider().openSelector();
    }

    /** What the program of {@code seed} sees, a line per step. */
    static List<String> run(NioChannels on, long seed, int steps) throws Exception {
        try (RandomProgram p = new RandomProgram(on, seed)) {
            try {
                for (int i = 0; i < steps; i++) {
                    p.step();
                }
            } catch (Exception | AssertionError e) {
                throw new AssertionError(
                        "-Dsdp4j.test.seed=" + seed + " after\n" + String.join("\n", p.trace), e);
            }
            return p.trace;
        }
    }

    @Override
    public void close() throws IOException {
        for (End e : ends) {
            e.channel.close();
        }
        listener.close();
        selector.close();
    }

    private void step() throws Exception {
        int choice = random.nextInt(101) / 3; // 33, which costs most, once
        if (ends.isEmpty() || choice < 3 && ends.size() < 8) {
            connect();
            return;
        }
        End e = ends.get(random.nextInt(ends.size()));
        switch (choice) {
            case 3, 4, 5, 6, 7, 8 -> write(e);
            case 9, 10, 11, 12, 13, 14 -> read(e);
            case 15 -> shutdown(e, random.nextBoolean());
            case 16 -> closeEnd(e);
            case 17, 18, 19 -> register(e);
            case 20, 21, 22, 23 -> select();
            case 24 -> cancel(e);
            case 25 -> log("wakeup", () -> selector.wakeup().selectNow() >= 0);
            case 26 -> newSelector();
            case 27 -> newListener();
            case 28 -> refused();
            case 29, 30 -> mistakes(e);
            case 31 -> pump(e);
            case 32 -> blockedRead(e);
            default -> blockedSelect(e);
        }
    }

    private void log(String what, Callable<?> call) {
        trace.add(what + " -> " + outcome(call));
    }

    private static String outcome(Callable<?> call) {
        try {
            return String.valueOf(call.call());
        } catch (Exception | AssertionError x) {
            return x.getClass().getName() + ": " + x.getMessage();
        }
    }

    /** Waits for {@code there}; says so in the trace if it never comes. */
    private void await(String what, BooleanSupplier there) throws InterruptedException {
        long start = System.nanoTime();
        while (!there.getAsBoolean()) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                trace.add("no " + what);
                return;
            }
            TimeUnit.MICROSECONDS.sleep(100);
        }
    }

    private void connect() throws Exception {
        int number = connections++;
        SocketChannel c = on.open();
        boolean registered = random.nextBoolean();
        boolean blocking = random.nextInt(3) == 0;
        c.configureBlocking(blocking);
        SelectionKey key = registered && !blocking ? c.register(selector, 0) : null;
        if (random.nextInt(4) == 0) {
            c.bind(new InetSocketAddress(NioChannels.LOOPBACK, 0));
        }
        log("connect " + number, () -> c.connect(listener.getLocalAddress()) || c.isOpen());
        Nio.await().until(c::finishConnect);
        listener.configureBlocking(false);
        SocketChannel s = Nio.await().until(listener::accept, a -> a != null);
        c.configureBlocking(false);
        s.configureBlocking(false);
        c.setOption(StandardSocketOptions.TCP_NODELAY, true);
        s.setOption(StandardSocketOptions.TCP_NODELAY, true);
        End client = new End("c" + number, c);
        End server = new End("s" + number, s);
        client.peer = server;
        server.peer = client;
        client.key = key;
        ends.add(client);
        ends.add(server);
        log(
                "addresses " + number,
                () ->
                        c.getLocalAddress().equals(s.getRemoteAddress())
                                && s.getLocalAddress().equals(c.getRemoteAddress()));
    }

    /** Writes a little, in one of several ways. */
    private void write(End e) throws Exception {
        int n = 1 + random.nextInt(2000);
        int form = random.nextInt(4);
        if (e.closed || e.outputShut) {
            log(e.name + " write", () -> e.channel.write(ByteBuffer.allocate(n)));
            return;
        }
        if (e.peer.closed) {
            writeToNobody(e);
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
        log(
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
    private void writeToNobody(End e) {
        boolean first = e.peer.aborted && !e.resetRead && !e.resetWritten;
        Throwable t = Nio.awaitThrown(() -> e.channel.write(ByteBuffer.allocate(1)));
        trace.add(e.name + " write to nobody -> " + t.getClass().getName() + ": " + t.getMessage());
        if (first) {
            e.resetWritten = true;
        }
        e.wroteToClosed = true;
    }

    private void read(End e) throws Exception {
        int n = 1 + random.nextInt(4000);
        int form = random.nextInt(4);
        ByteBuffer b = form % 2 == 0 ? ByteBuffer.allocate(n) : ByteBuffer.allocateDirect(n);
        if (e.closed || e.inputShut) {
            log(e.name + " read", () -> e.channel.read(b));
            return;
        }
        if (e.unread() > 0) {
            int expected = (int) Math.min(n, e.unread());
            log(
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
            log(e.name + " read at the end", () -> Nio.awaitRead(e.channel, b));
            e.resetRead |= e.peer.aborted && !e.resetWritten;
        } else {
            log(
                    e.name + " read of nothing",
                    () ->
                            form < 2
                                    ? e.channel.read(b)
                                    : e.channel.read(new ByteBuffer[] {b, ByteBuffer.allocate(1)}));
        }
    }

    private void shutdown(End e, boolean output) throws Exception {
        if (output) {
            log(e.name + " shutdownOutput", () -> e.channel.shutdownOutput() == e.channel);
            e.outputShut |= !e.closed;
        } else if (e.closed || e.unread() == 0) {
            log(e.name + " shutdownInput", () -> e.channel.shutdownInput() == e.channel);
            e.inputShut |= !e.closed;
        }
    }

    /** Abruptly if something is unread, which the kernel would make of it anyway. */
    private void closeEnd(End e) throws Exception {
        if (e.closed) {
            return;
        }
        boolean abort = !e.inputShut && e.unread() > 0 || random.nextInt(4) == 0;
        // a reset after an end of stream in order is no reset for the reader: leave that out
        abort &= !e.outputShut && !e.peer.closed;
        if (!abort && !e.inputShut && e.unread() > 0) {
            Nio.drain(e.channel, e.unread());
            e.received = e.peer.sent;
        }
        if (abort) {
            if (!e.peer.inputShut) { // what is still here would go with the reset
                await(
                        "arrival",
                        () -> outcome(() -> available(e.peer)).equals("" + e.peer.unread()));
            }
            e.channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        e.channel.close();
        log(e.name + " close " + abort, () -> e.channel.isOpen() + " " + valid(e));
        selector.selectNow(); // a channel with keys is only half closed until then
        e.closed = true;
        e.aborted = abort;
    }

    private static int available(End e) throws IOException {
        return e.channel.socket().getInputStream().available();
    }

    private static String valid(End e) {
        return e.key == null ? "no key" : "" + e.key.isValid();
    }

    private void register(End e) {
        int ops = random.nextInt(4) * OP_READ;
        int interest = (ops & 1) * OP_READ | (ops >> 1 & 1) * OP_WRITE;
        log(
                e.name + " register " + interest,
                () -> {
                    SelectionKey key = e.channel.register(selector, interest, e.name);
                    boolean same = key == e.key;
                    e.key = key;
                    return same + " " + key.interestOps();
                });
    }

    private void cancel(End e) {
        if (e.key != null) {
            e.key.cancel();
            log(e.name + " cancel", () -> e.key.isValid() + " " + e.channel.isRegistered());
            if (random.nextBoolean()) {
                log(e.name + " again", () -> again(e));
            }
        }
    }

    private boolean again(End e) throws IOException {
        SelectionKey old = e.key;
        e.key = e.channel.register(selector, OP_READ);
        return e.key == old;
    }

    private void select() throws Exception {
        String expected = expected();
        String[] seen = {""};
        await(expected, () -> (seen[0] = outcome(this::ready)).equals(expected));
        trace.add("select -> " + seen[0] + " of " + selector.keys().size());
    }

    private String expected() {
        TreeMap<String, Integer> all = new TreeMap<>();
        for (End e : ends) {
            if (e.key != null && e.key.isValid() && e.key.selector() == selector) {
                int ops = e.key.interestOps() & e.readyOps();
                if (ops != 0) {
                    all.put(e.name, ops);
                }
            }
        }
        return all.toString();
    }

    private String ready() throws IOException {
        TreeMap<String, Integer> all = new TreeMap<>();
        selector.selectedKeys().clear();
        selector.selectNow();
        for (End e : ends) {
            if (e.key != null && selector.selectedKeys().contains(e.key)) {
                all.put(e.name, e.key.readyOps());
            }
        }
        return all.toString();
    }

    private void newSelector() throws IOException {
        Selector old = selector;
        old.close();
        log("old selector", old::selectNow);
        selector = on.provider().openSelector();
        for (End e : ends) {
            if (e.key != null) {
                trace.add(e.name + " key " + e.key.isValid() + " " + e.channel.isRegistered());
                e.key = null;
            }
        }
    }

    private void newListener() throws IOException {
        listener.close();
        log("old listener", listener::accept);
        listener = on.listen(8);
        log("nobody comes", () -> listener.configureBlocking(false) == listener);
        log("accept", listener::accept);
    }

    private void refused() throws Exception {
        InetSocketAddress nobody;
        try (ServerSocketChannel gone = on.listen(1)) {
            nobody = (InetSocketAddress) gone.getLocalAddress();
        }
        SocketChannel c = on.open();
        c.configureBlocking(random.nextBoolean());
        boolean keyed = !c.isBlocking() && random.nextBoolean();
        SelectionKey key = keyed ? c.register(selector, SelectionKey.OP_CONNECT) : null;
        if (c.isBlocking()) {
            log("refused", () -> c.connect(nobody));
        } else {
            c.connect(nobody);
            Throwable t =
                    Nio.awaitThrown(
                            () -> {
                                c.finishConnect();
                                return null;
                            });
            trace.add("refused -> " + t.getClass().getName() + ": " + t.getMessage());
        }
        trace.add("open " + c.isOpen() + " " + (key == null ? "" : "" + key.isValid()));
        log("after", c::finishConnect);
    }

    /** Calls that must fail, or say the same, in whatever state the channel is. */
    private void mistakes(End e) {
        log(e.name + " connect", () -> e.channel.connect(listener.getLocalAddress()));
        log(e.name + " bind", () -> e.channel.bind(null));
        log(e.name + " finish", e.channel::finishConnect);
        log(e.name + " empty", () -> e.channel.read(ByteBuffer.allocate(0)) >= -1);
        log(e.name + " empty", () -> e.channel.write(ByteBuffer.allocate(0)));
        log(
                e.name + " flags",
                () ->
                        e.channel.isConnected()
                                + " "
                                + e.channel.isConnectionPending()
                                + " "
                                + e.channel.socket().isInputShutdown()
                                + " "
                                + e.channel.socket().isOutputShutdown()
                                + " "
                                + e.channel.socket().isClosed());
        log(e.name + " text", () -> e.channel.toString().replaceAll("^[\\w.$]*|\\d{4,5}\\b", ""));
        log(e.name + " linger", () -> e.channel.getOption(StandardSocketOptions.SO_LINGER));
    }

    /** More than fits, read as it comes. */
    private void pump(End e) {
        if (e.closed || e.outputShut || e.peer.closed || e.peer.inputShut || e.peer.unread() > 0) {
            return;
        }
        int length = 1 + random.nextInt(1 << 19);
        log(
                e.name + " pump " + length,
                () -> {
                    ByteBuffer out = ByteBuffer.allocate(length);
                    ByteBuffer in = ByteBuffer.allocateDirect(length);
                    for (int i = 0; i < length; i++) {
                        out.put(i, e.pattern(e.sent + i));
                    }
                    long start = System.nanoTime();
                    while (in.hasRemaining() && System.nanoTime() - start < PATIENCE_NANOS) {
                        e.channel.write(out);
                        e.peer.channel.read(in);
                    }
                    return in.flip().equals(out.flip());
                });
        e.sent += length;
        e.peer.received += length;
    }

    /** A thread that waits for data, and one of the things that end its waiting. */
    private void blockedRead(End e) throws Exception {
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
                                outcome(() -> e.channel.read(ByteBuffer.allocate(1)))
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

    /** A thread in a selection, and one of the things that wake it. */
    private void blockedSelect(End e) throws Exception {
        if (!expected().equals("{}")) {
            return;
        }
        selector.selectNow();
        selector.selectedKeys().clear();
        Task.Kind kind = random.nextBoolean() ? Task.Kind.PLATFORM : Task.Kind.VIRTUAL;
        Task<String> selecting =
                Task.start(
                        kind,
                        () ->
                                outcome(() -> selector.select(20_000))
                                        + " "
                                        + Thread.currentThread().isInterrupted());
        try {
            selecting.awaitBlocked();
        } catch (AssertionError early) {
            throw new AssertionError(selecting.get() + " " + expected() + ready(), early);
        }
        boolean interrupt = random.nextBoolean();
        if (interrupt) {
            selecting.thread().interrupt();
        } else {
            selector.wakeup();
        }
        trace.add("blocked select, " + interrupt + " -> " + selecting.get());
    }
}
