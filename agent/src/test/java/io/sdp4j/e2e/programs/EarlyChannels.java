package io.sdp4j.e2e.programs;

import static java.net.StandardProtocolFamily.INET;
import static java.net.StandardProtocolFamily.UNIX;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/**
 * Channels of a client. {@code life PORT} prints what they do with a peer as {@code EarlyIT} has
 * it; {@code listens} closes a listener; {@code other} opens what no rule is about; {@code rested
 * PORT} has such a peer answer 200 times after a pause of six seconds; {@code blocking PORT} and
 * {@code selector PORT} do to a server of {@link EarlyStreams} what its client does: until standard
 * input ends numbers are written, and the answer is waited for.
 */
public final class EarlyChannels {
    private static int port;
    private static int said;

    private EarlyChannels() {}

    /** See above. */
    public static void main(String[] args) throws Exception {
        port = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        switch (args[0]) {
            case "other" -> other();
            case "life" -> life();
            case "listens" -> listens();
            case "rested" -> rested();
            case "blocking" -> blocking();
            default -> selector();
        }
    }

    private static void say(String what, Callable<?> call) {
        String found;
        try {
            found = String.valueOf(call.call());
        } catch (Exception e) {
            found = e.toString();
        }
        System.out.println(++said + " " + what + "=" + found.replaceAll("[0-9]{4,5}", "PORT"));
    }

    private static InetSocketAddress peer() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static SocketChannel connected(char wish) throws IOException {
        SocketChannel channel = SocketChannel.open(peer());
        channel.write(ByteBuffer.wrap(new byte[] {(byte) wish}));
        return channel;
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(US_ASCII));
    }

    private static String read(SocketChannel channel, int most) throws IOException {
        ByteBuffer to = ByteBuffer.allocate(most);
        int n = channel.read(to);
        return n + " " + new String(to.array(), 0, to.position(), US_ASCII);
    }

    private static void rested() throws Exception {
        try (SocketChannel channel = connected('E');
                Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            Thread.sleep(6_000);
            ByteBuffer one = ByteBuffer.allocate(1);
            for (int i = 0; i < 200; i++) {
                channel.write(one.clear());
                for (one.clear(); one.hasRemaining(); channel.read(one)) {
                    selector.select();
                    selector.selectedKeys().clear();
                }
            }
        }
    }

    private static void life() throws Exception {
        unconnected();
        refused();
        echo();
        ends();
        closed();
        selected();
    }

    private static void other() throws Exception {
        UnixDomainSocketAddress at =
                UnixDomainSocketAddress.of(Files.createTempFile("early", ".sock"));
        Files.delete(at.getPath());
        try (ServerSocketChannel listener = ServerSocketChannel.open(UNIX).bind(at);
                SocketChannel c = SocketChannel.open(at);
                SocketChannel accepted = listener.accept()) {
            c.write(bytes("unix"));
            say("read", () -> read(accepted, 9));
            say("text", () -> c.toString().replace(at.toString(), "PATH"));
        } finally {
            Files.delete(at.getPath());
        }
        try (SocketChannel c = SocketChannel.open(UNIX)) {
            say("bound", () -> c.bind(null).getLocalAddress());
        }
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (DatagramChannel to = DatagramChannel.open(INET).bind(any);
                DatagramChannel from = DatagramChannel.open()) {
            say("sent", () -> from.send(bytes("udp"), to.getLocalAddress()));
            ByteBuffer got = ByteBuffer.allocate(9);
            to.receive(got);
            say("got", got::position);
        }
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            sink.write(bytes("pipe"));
            ByteBuffer got = ByteBuffer.allocate(9);
            say("pipe", () -> source.read(got));
        }
    }

    private static void unconnected() throws Exception {
        try (SocketChannel c = SocketChannel.open()) {
            say("text", c::toString);
            say("read", () -> read(c, 1));
            say("write", () -> c.write(bytes("x")));
            say("shut", c::shutdownOutput);
            say("finish", c::finishConnect);
            say("pending", c::isConnectionPending);
            say("local", c::getLocalAddress);
            say("remote", c::getRemoteAddress);
            say("socket", () -> c.socket().toString());
            say("streams", () -> c.socket().getInputStream());
            say("option", () -> c.getOption(StandardSocketOptions.TCP_NODELAY));
            c.setOption(StandardSocketOptions.TCP_NODELAY, true);
            say("set", () -> c.getOption(StandardSocketOptions.TCP_NODELAY));
            say("linger", () -> c.setOption(StandardSocketOptions.SO_LINGER, 3).isOpen());
            say("unresolved", () -> c.connect(InetSocketAddress.createUnresolved("none", port)));
            say("open", c::isOpen);
        }
    }

    private static void refused() throws Exception {
        // the kernel gives it to no program that asks for any port
        InetSocketAddress closedPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        say("refused", () -> SocketChannel.open(closedPort));
        try (SocketChannel c = SocketChannel.open()) {
            say("refused", () -> c.connect(closedPort));
            say("open", c::isOpen);
            say("again", () -> c.connect(peer()));
        }
        try (SocketChannel c = SocketChannel.open()) {
            c.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            say("bound", c::toString);
            say("connected", () -> c.connect(peer()));
            say("text", c::toString);
            say("twice", () -> c.connect(peer()));
            say("open", c::isOpen);
        }
    }

    private static void echo() throws Exception {
        try (SocketChannel c = connected('E')) {
            ByteBuffer[] two = {bytes("ab"), bytes("c")};
            say("write", () -> c.write(two));
            ByteBuffer answer = ByteBuffer.allocate(3);
            while (answer.hasRemaining() && c.read(answer) >= 0) {
                Thread.onSpinWait();
            }
            say("read", () -> new String(answer.array(), US_ASCII));
            OutputStream out = Channels.newOutputStream(c);
            out.write(bytes("stream").array());
            say("stream", () -> new String(Channels.newInputStream(c).readNBytes(6), US_ASCII));
            out.write(bytes("adaptor").array());
            say("adaptor", () -> new String(c.socket().getInputStream().readNBytes(7), US_ASCII));
            c.socket().setSoTimeout(10);
            say("time-out", () -> c.socket().getInputStream().read());
            say("none", () -> c.read(ByteBuffer.allocate(0)));
            say("available", () -> c.socket().getInputStream().available());
            c.configureBlocking(false);
            say("nothing", () -> read(c, 1));
            c.configureBlocking(true);
            c.shutdownOutput();
            say("shut", c::toString);
            say("write", () -> c.write(bytes("x")));
            say("end", () -> read(c, 1));
            c.shutdownInput();
            say("shut", c::toString);
            say("end", () -> read(c, 1));
        }
    }

    private static void ends() throws Exception {
        try (SocketChannel c = connected('F')) {
            say("all", () -> new String(Channels.newInputStream(c).readAllBytes(), US_ASCII));
            say("end", () -> read(c, 1));
            say("write", () -> c.write(bytes("x")));
        }
        try (SocketChannel c = connected('R')) {
            c.write(bytes("x"));
            say("reset", () -> read(c, 1));
            say("reset", () -> read(c, 1));
            say("broken", () -> c.write(bytes("x")));
        }
    }

    /** Until it is in a method of the JDK's channels, where its read waits. */
    private static void awaitInChannel(Thread thread) {
        boolean there = false;
        while (!there && thread.isAlive()) {
            for (StackTraceElement frame : thread.getStackTrace()) {
                there |= frame.getClassName().startsWith("sun.nio.ch.");
            }
        }
    }

    private static void closed() throws Exception {
        SocketChannel c = connected('E');
        FutureTask<String> reader = new FutureTask<>(() -> read(c, 1));
        Thread thread = Thread.ofPlatform().start(reader);
        awaitInChannel(thread);
        c.close();
        thread.join();
        say(
                "waiting",
                () -> reader.exceptionNow() instanceof java.nio.channels.ClosedChannelException);
        say("closed", c::toString);
        say("read", () -> read(c, 1));
        say("option", () -> c.getOption(StandardSocketOptions.TCP_NODELAY));
        say("address", c::getRemoteAddress);
        say("adaptor", () -> c.socket().getPort());
        SocketChannel interrupted = connected('E');
        FutureTask<String> waiter = new FutureTask<>(() -> read(interrupted, 1));
        Thread virtual = Thread.ofVirtual().start(waiter);
        awaitInChannel(virtual);
        virtual.interrupt();
        virtual.join();
        say("interrupted", () -> waiter.exceptionNow().getClass().getSimpleName());
        say("open", interrupted::isOpen);
    }

    private static void listens() throws Exception {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.socket().setSoTimeout(9);
        listener.close();
        say("accept", listener::accept);
        say("timed", () -> listener.socket().accept());
    }

    private static void selected() throws Exception {
        try (SocketChannel c = SocketChannel.open();
                Selector selector = Selector.open()) {
            c.configureBlocking(false);
            SelectionKey key = c.register(selector, SelectionKey.OP_CONNECT);
            if (!c.connect(peer())) {
                selector.select(10_000);
            }
            say("finished", c::finishConnect);
            key.interestOps(SelectionKey.OP_WRITE);
            selector.selectedKeys().clear();
            say("select", () -> selector.select(10_000));
            say("ready", key::readyOps);
            c.write(bytes("Eok"));
            key.interestOps(SelectionKey.OP_READ);
            selector.selectedKeys().clear();
            say("select", () -> selector.select(10_000));
            say("ready", key::readyOps);
            say("read", () -> read(c, 9));
            say("adaptor", () -> c.socket().getInputStream().read());
            say("mode", () -> c.configureBlocking(true));
            c.socket().close();
            say("left", selector::selectNow);
            say("keys", () -> selector.keys().size());
        }
    }

    // --- that move ---

    private static ByteBuffer numbers(ByteBuffer to, long[] nextAndSum) {
        to.clear();
        while (to.remaining() >= Long.BYTES) {
            to.putLong(nextAndSum[0]);
            nextAndSum[1] = nextAndSum[1] * 31 + nextAndSum[0]++;
        }
        return to.flip();
    }

    private static FutureTask<Integer> inputEnds() {
        FutureTask<Integer> inputEnds = new FutureTask<>(System.in::read);
        Thread.ofPlatform().daemon().start(inputEnds);
        return inputEnds;
    }

    private static void answer(long sum, long answer) {
        System.out.println("answer=" + (answer == sum ? "right" : "wrong"));
    }

    private static void blocking() throws Exception {
        FutureTask<Integer> inputEnds = inputEnds();
        long[] next = {1, 0};
        try (SocketChannel c = SocketChannel.open(peer())) {
            FutureTask<Long> answer =
                    new FutureTask<>(
                            () -> {
                                ByteBuffer to = ByteBuffer.allocate(Long.BYTES);
                                int n = 0;
                                while (n >= 0 && to.hasRemaining()) {
                                    n = c.read(to);
                                }
                                return to.flip().getLong();
                            });
            Thread.ofPlatform().start(answer);
            ByteBuffer some = ByteBuffer.allocate(4096);
            while (!inputEnds.isDone()) {
                c.write(numbers(some, next));
            }
            c.write(some.clear().putLong(0).flip());
            answer(next[1], answer.get());
        }
    }

    private static void selector() throws Exception {
        FutureTask<Integer> inputEnds = inputEnds();
        long[] next = {1, 0};
        ByteBuffer some = ByteBuffer.allocateDirect(1 << 16).limit(0);
        ByteBuffer answer = ByteBuffer.allocate(Long.BYTES);
        boolean last = false;
        try (SocketChannel c = SocketChannel.open();
                Selector selector = Selector.open()) {
            c.configureBlocking(false);
            SelectionKey key = c.register(selector, SelectionKey.OP_CONNECT);
            c.connect(peer());
            while (answer.hasRemaining()) {
                selector.select();
                selector.selectedKeys().clear();
                if (c.isConnectionPending() && c.finishConnect()) {
                    key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                } else {
                    if (!some.hasRemaining() && !last) {
                        last = inputEnds.isDone();
                        if (last) {
                            some.clear().putLong(0).flip();
                        } else {
                            numbers(some, next);
                        }
                    }
                    c.write(some);
                    c.read(answer);
                    if (last && !some.hasRemaining()) {
                        key.interestOps(SelectionKey.OP_READ);
                    }
                }
            }
        }
        answer(next[1], answer.flip().getLong());
    }
}
