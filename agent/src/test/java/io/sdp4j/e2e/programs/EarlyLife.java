package io.sdp4j.e2e.programs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.util.Arrays;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * {@code PORT}, then {@code bound}, {@code all} or nothing: what client sockets do in a program
 * that has no listener, one line for each thing. The peer there does what the first byte asks for,
 * see {@code EarlyIT}. With {@code bound} also what bound sockets do, with {@code all} moreover
 * what needs the switch whatever the rules say.
 */
public final class EarlyLife {
    private static int port;
    private static int said;

    private EarlyLife() {}

    /** Does all of it. */
    public static void main(String[] args) throws Exception {
        port = Integer.parseInt(args[0]);
        unconnected();
        refused();
        echo();
        ends();
        waits();
        closed();
        if (args.length > 1) {
            bound();
        }
        if (args.length > 1 && args[1].equals("all")) {
            anyAddress();
        }
    }

    private static void say(String what, Callable<?> call) {
        Object result;
        try {
            result = call.call();
        } catch (Exception e) {
            result = e.getClass().getName() + ": " + e.getMessage();
        }
        String line = said++ + " " + what + "=" + result;
        System.out.println(line.replace(Integer.toString(port), "PORT"));
    }

    private static void act(String what, Action action) {
        say(
                what,
                () -> {
                    action.run();
                    return "done";
                });
    }

    private interface Action {
        void run() throws Exception;
    }

    private static InetSocketAddress peer() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static Socket connected(char wish) throws IOException {
        Socket socket = new Socket();
        socket.connect(peer());
        socket.getOutputStream().write(wish);
        return socket;
    }

    private static void unconnected() throws Exception {
        try (Socket s = new Socket()) {
            say("local port", s::getLocalPort);
            say("bound", s::isBound);
            act("set timeout", () -> s.setSoTimeout(1_234));
            say("timeout", s::getSoTimeout);
            act("set no delay", () -> s.setTcpNoDelay(true));
            act("set linger", () -> s.setSoLinger(true, 3));
            say("set buffer", () -> s.setOption(StandardSocketOptions.SO_RCVBUF, 65_536));
            act("set a bad buffer", () -> s.setReceiveBufferSize(0));
            say("stream", s::getInputStream);
            say(
                    "options",
                    () -> new TreeSet<>(s.supportedOptions().stream().map(o -> o.name()).toList()));
            s.connect(peer());
            say("timeout", s::getSoTimeout);
            say("no delay", s::getTcpNoDelay);
            say("linger", s::getSoLinger);
            say("buffer", () -> s.getOption(StandardSocketOptions.SO_RCVBUF));
            say("local address", s::getLocalAddress);
            say("remote", s::getRemoteSocketAddress);
            act("connect again", () -> s.connect(peer()));
            act("set keep-alive", () -> s.setKeepAlive(true));
            say("keep-alive", s::getKeepAlive);
            act("set inline", () -> s.setOOBInline(true));
            say("inline", s::getOOBInline);
            s.setSoLinger(false, 0);
        }
        try (Socket s = new Socket(Proxy.NO_PROXY)) {
            s.connect(peer(), 5_000);
            say("no proxy", s::isConnected);
        }
    }

    private static void refused() {
        act(
                "refused",
                () ->
                        new Socket()
                                .connect(
                                        new InetSocketAddress(
                                                InetAddress.getLoopbackAddress(), 1)));
        act(
                "refused in time",
                () ->
                        new Socket()
                                .connect(
                                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                                        500));
        act(
                "unknown",
                () ->
                        new Socket()
                                .connect(
                                        InetSocketAddress.createUnresolved(
                                                "no.such.host.invalid", 1)));
    }

    private static void echo() throws Exception {
        try (Socket s = connected('E')) {
            InputStream in = s.getInputStream();
            OutputStream out = s.getOutputStream();
            byte[] b = new byte[100];
            act("write one", () -> out.write(300));
            say("read one", () -> in.read());
            act("write none", () -> out.write(b, 100, 0));
            say("read none", () -> in.read(b, 100, 0));
            act("write beyond", () -> out.write(b, 50, 51));
            say("read beyond", () -> in.read(b, 50, 51));
            for (int i = 0; i < b.length; i++) {
                b[i] = (byte) i;
            }
            act("write", () -> out.write(b, 10, 80));
            say("read", () -> Arrays.hashCode(in.readNBytes(80)));
            say("available", in::available);
            act("urgent", () -> s.sendUrgentData(7));
            act("write", () -> out.write(1));
            say("read", () -> in.read());
            act("end", s::shutdownOutput);
            act("write after the end", () -> out.write(1));
            say("read the end", () -> in.read());
            say("read it again", () -> in.read());
        }
    }

    private static void ends() throws Exception {
        try (Socket s = connected('F')) {
            InputStream in = s.getInputStream();
            say("all of a half", () -> new String(in.readAllBytes(), UTF_8));
            act("write to the other half", () -> s.getOutputStream().write(1));
        }
        try (Socket s = connected('E')) {
            InputStream in = s.getInputStream();
            act("shut input", s::shutdownInput);
            say("read shut input", () -> in.read());
            say("stream of shut input", s::getInputStream);
        }
        try (Socket s = connected('R')) {
            InputStream in = s.getInputStream();
            s.getOutputStream().write(1);
            say("reset", () -> in.read());
            say("reset again", () -> in.read());
        }
    }

    private static void waits() throws Exception {
        try (Socket s = connected('S')) {
            InputStream in = s.getInputStream();
            s.setSoTimeout(50);
            say("in vain", () -> in.read());
            FutureTask<Integer> first = new FutureTask<>(in::read);
            Thread.ofPlatform().start(first);
            say("two in vain", () -> in.read());
            say("the other", first::get);
        }
        Socket closing = connected('S');
        FutureTask<Integer> reader = waiting(closing, Thread.ofPlatform());
        closing.close();
        say("closed", () -> reader.get(20, TimeUnit.SECONDS));
        nothing();
        Socket interrupted = connected('S');
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        FutureTask<Integer> virtual =
                new FutureTask<>(
                        () -> {
                            thread.complete(Thread.currentThread());
                            return interrupted.getInputStream().read();
                        });
        Thread.ofVirtual().start(virtual);
        thread.get().interrupt();
        say("interrupted", () -> virtual.get(20, TimeUnit.SECONDS));
        say("and closed", interrupted::isClosed);
    }

    /** Calls that move nothing wait for no reader and no writer. */
    private static void nothing() throws Exception {
        byte[] b = new byte[4];
        Socket s = connected('N');
        FutureTask<Integer> reader = waiting(s, Thread.ofPlatform());
        InputStream in = s.getInputStream();
        say("read none meanwhile", () -> within(() -> in.read(b, 4, 0)));
        say("read beyond meanwhile", () -> within(() -> in.read(b, 3, 2)));
        OutputStream out = s.getOutputStream();
        FutureTask<Void> writer = new FutureTask<>(() -> write(out, new byte[64 << 20], 64 << 20));
        standing(Thread.ofPlatform().start(writer), "implWrite");
        say("write none meanwhile", () -> within(() -> write(out, b, 0)));
        say("write beyond meanwhile", () -> within(() -> write(out, b, 5)));
        s.close();
        say("reader", () -> reader.get(20, TimeUnit.SECONDS));
        say("writer", () -> writer.get(20, TimeUnit.SECONDS));
    }

    private static Void write(OutputStream out, byte[] b, int len) throws IOException {
        out.write(b, 0, len);
        return null;
    }

    private static <T> T within(Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofPlatform().daemon().start(task);
        return task.get(20, TimeUnit.SECONDS);
    }

    /** A thread that reads, once it waits. */
    private static FutureTask<Integer> waiting(Socket socket, Thread.Builder kind)
            throws IOException {
        InputStream in = socket.getInputStream();
        FutureTask<Integer> task = new FutureTask<>(in::read);
        standing(kind.start(task), "implRead");
        return task;
    }

    private static void standing(Thread thread, String method) {
        while (Arrays.stream(thread.getStackTrace())
                .noneMatch(f -> f.getMethodName().equals(method))) {
            Thread.onSpinWait();
        }
    }

    private static void closed() throws Exception {
        Socket s = connected('E');
        InputStream in = s.getInputStream();
        OutputStream out = s.getOutputStream();
        in.close();
        say("closed by its stream", s::isClosed);
        say("read closed", () -> in.read());
        act("write closed", () -> out.write(1));
        act("timeout of closed", () -> s.setSoTimeout(1));
        say("option of closed", s::getTcpNoDelay);
        act("connect closed", () -> s.connect(peer()));
    }

    private static void bound() throws Exception {
        try (Socket s =
                new Socket(
                        InetAddress.getLoopbackAddress(),
                        port,
                        InetAddress.getLoopbackAddress(),
                        0)) {
            s.getOutputStream().write('F');
            say("bound", () -> new String(s.getInputStream().readAllBytes(), UTF_8));
        }
        try (Socket s = new Socket()) {
            s.setSoTimeout(4_321);
            s.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int local = s.getLocalPort();
            s.connect(peer(), 20_000);
            say("same port", () -> s.getLocalPort() == local);
            say("timeout", s::getSoTimeout);
        }
    }

    private static void anyAddress() throws Exception {
        try (Socket s = new Socket("0.0.0.0", port)) {
            s.getOutputStream().write('F');
            say("any address", () -> new String(s.getInputStream().readAllBytes(), UTF_8));
        }
    }
}
