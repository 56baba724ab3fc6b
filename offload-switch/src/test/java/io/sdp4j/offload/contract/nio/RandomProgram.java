package io.sdp4j.offload.contract.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Some steps with channels and selectors, chosen by a seed, and a line for each that says what came
 * of it. The lines of one seed are the same on every run and every implementation: steps wait for
 * what must come, and what sizes and times decide is not written down.
 *
 * <p>Connections are non-blocking except while a step needs it otherwise. Steps that move bytes are
 * in {@link ProgramData}, those about keys in {@link ProgramSelector}.
 */
final class RandomProgram implements AutoCloseable {
    private final NioChannels on;
    private final Random random;
    private final ProgramTrace trace = new ProgramTrace();
    private final List<End> ends = new ArrayList<>();
    private final ProgramData data;
    private final ProgramSelector keys;
    private ServerSocketChannel listener;
    private int connections;

    private RandomProgram(NioChannels on, long seed) throws IOException {
        this.on = on;
        random = new Random(seed);
        data = new ProgramData(random, trace);
        listener = on.listen(8);
        keys = new ProgramSelector(on, random, trace, ends);
    }

    /** Observations of the program of {@code seed}, a line per step. */
    static List<String> run(NioChannels on, long seed, int steps) throws Exception {
        try (RandomProgram p = new RandomProgram(on, seed)) {
            try {
                for (int i = 0; i < steps; i++) {
                    p.step();
                }
            } catch (Exception | AssertionError e) {
                throw new AssertionError(
                        "-Dsdp4j.test.seed="
                                + seed
                                + " after\n"
                                + String.join("\n", p.trace.lines()),
                        e);
            }
            return p.trace.lines();
        }
    }

    @Override
    public void close() throws IOException {
        for (End e : ends) {
            e.channel.close();
        }
        listener.close();
        keys.close();
    }

    private void step() throws Exception {
        int choice = random.nextInt(101) / 3; // 33, which costs most, once
        if (ends.isEmpty() || (choice < 3 && ends.size() < 8)) {
            connect();
            return;
        }
        End e = ends.get(random.nextInt(ends.size()));
        switch (choice) {
            case 3, 4, 5, 6, 7, 8 -> data.write(e);
            case 9, 10, 11, 12, 13, 14 -> data.read(e);
            case 15 -> shutdown(e, random.nextBoolean());
            case 16 -> closeEnd(e);
            case 17, 18, 19 -> keys.register(e);
            case 20, 21, 22, 23 -> keys.select();
            case 24 -> keys.cancel(e);
            case 25 -> keys.wakeUp();
            case 26 -> keys.renew();
            case 27 -> newListener();
            case 28 -> refused();
            case 29, 30 -> mistakes(e);
            case 31 -> data.pump(e);
            case 32 -> data.blockedRead(e);
            default -> keys.block();
        }
    }

    private void connect() throws Exception {
        int number = connections++;
        SocketChannel c = on.open();
        boolean registered = random.nextBoolean();
        boolean blocking = random.nextInt(3) == 0;
        c.configureBlocking(blocking);
        SelectionKey key = registered && !blocking ? c.register(keys.selector(), 0) : null;
        if (random.nextInt(4) == 0) {
            c.bind(new InetSocketAddress(NioChannels.LOOPBACK, 0));
        }
        trace.log("connect " + number, () -> c.connect(listener.getLocalAddress()) || c.isOpen());
        long start = System.nanoTime();
        while (!c.finishConnect()) {
            Nio.pause(start, "not connected");
        }
        on.checkCarrier(c);
        SocketChannel s = accepted(start);
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
        trace.log(
                "addresses " + number,
                () ->
                        c.getLocalAddress().equals(s.getRemoteAddress())
                                && s.getLocalAddress().equals(c.getRemoteAddress()));
    }

    private SocketChannel accepted(long startNanos) throws IOException {
        listener.configureBlocking(false);
        SocketChannel s = listener.accept();
        while (s == null) {
            Nio.pause(startNanos, "not accepted");
            s = listener.accept();
        }
        return s;
    }

    private void shutdown(End e, boolean output) throws Exception {
        if (output) {
            trace.log(e.name + " shutdownOutput", () -> e.channel.shutdownOutput() == e.channel);
            e.outputShut |= !e.closed;
        } else if (e.closed || e.unread() == 0) {
            trace.log(e.name + " shutdownInput", () -> e.channel.shutdownInput() == e.channel);
            e.inputShut |= !e.closed;
        }
    }

    /** Abruptly if something is unread, which the kernel would make of it anyway. */
    private void closeEnd(End e) throws Exception {
        if (e.closed) {
            return;
        }
        boolean abort = (!e.inputShut && e.unread() > 0) || random.nextInt(4) == 0;
        // a reset after an end of stream in order is no reset for the reader: leave that out
        abort &= !e.outputShut && !e.peer.closed;
        if (!abort && !e.inputShut && e.unread() > 0) {
            Nio.drain(e.channel, e.unread());
            e.received = e.peer.sent;
        }
        if (abort) {
            if (!e.peer.inputShut) { // what is still here would go with the reset
                trace.await(
                        "arrival",
                        () ->
                                ProgramTrace.outcome(() -> available(e.peer))
                                        .equals("" + e.peer.unread()));
            }
            e.channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        e.channel.close();
        trace.log(e.name + " close " + abort, () -> e.channel.isOpen() + " " + valid(e));
        keys.selector().selectNow(); // a channel with keys is only half closed until then
        e.closed = true;
        e.aborted = abort;
    }

    private static int available(End e) throws IOException {
        return e.channel.socket().getInputStream().available();
    }

    private static String valid(End e) {
        return e.key == null ? "no key" : "" + e.key.isValid();
    }

    private void newListener() throws IOException {
        listener.close();
        trace.log("old listener", listener::accept);
        listener = on.listen(8);
        trace.log("none comes", () -> listener.configureBlocking(false) == listener);
        trace.log("accept", listener::accept);
    }

    /** Where the port is held, so that no other socket can get it, and nothing listens. */
    private void refused() throws Exception {
        try (SocketChannel held =
                SocketChannel.open().bind(new InetSocketAddress(NioChannels.LOOPBACK, 0))) {
            refused((InetSocketAddress) held.getLocalAddress());
        }
    }

    private void refused(InetSocketAddress unused) throws Exception {
        SocketChannel c = on.open();
        c.configureBlocking(random.nextBoolean());
        boolean keyed = !c.isBlocking() && random.nextBoolean();
        SelectionKey key = keyed ? c.register(keys.selector(), SelectionKey.OP_CONNECT) : null;
        if (c.isBlocking()) {
            trace.log("refused", () -> c.connect(unused));
        } else {
            c.connect(unused);
            Throwable t = Nio.awaitThrown(c::finishConnect);
            trace.add("refused -> " + t.getClass().getName() + ": " + t.getMessage());
        }
        trace.add("open " + c.isOpen() + " " + (key == null ? "" : "" + key.isValid()));
        trace.log("after", c::finishConnect);
    }

    /** Calls that must fail, or say the same, in whatever state the channel is. */
    private void mistakes(End e) {
        trace.log(e.name + " connect", () -> e.channel.connect(listener.getLocalAddress()));
        trace.log(e.name + " bind", () -> e.channel.bind(null));
        trace.log(e.name + " finish", e.channel::finishConnect);
        trace.log(e.name + " empty", () -> e.channel.read(ByteBuffer.allocate(0)) >= -1);
        trace.log(e.name + " empty", () -> e.channel.write(ByteBuffer.allocate(0)));
        trace.log(
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
        trace.log(
                e.name + " text",
                () -> e.channel.toString().replaceAll("^[\\w.$]*|\\d{4,5}\\b", ""));
        trace.log(e.name + " linger", () -> e.channel.getOption(StandardSocketOptions.SO_LINGER));
    }
}
