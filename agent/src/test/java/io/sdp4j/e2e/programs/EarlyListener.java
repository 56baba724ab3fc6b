package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Listeners of a JVM whose switch cannot start for a while, because this program holds the lock of
 * the start. Prints what they do meanwhile and afterwards, a result each. Without the agent there
 * is nothing to hold.
 */
public final class EarlyListener {
    private static final int TIME_OUT_MILLIS = 3_000;
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    /**
     * Does it.
     *
     * @param args {@code off}: the switch never starts; {@code short}: instead, accepts three
     *     connections that carry nothing; {@code serve}: instead, listens with a selector before
     *     the switch may start, prints the port, accepts one connection, and reads its end
     */
    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("serve")) {
            serve();
            return;
        }
        if (List.of(args).contains("short")) {
            acceptShort();
            return;
        }
        boolean off = List.of(args).contains("off");
        if (off) {
            boot("starting").setBoolean(null, true); // so each start believes that another is on
        }
        EarlyListener listeners;
        synchronized (off ? new Object() : lock()) {
            listeners = new EarlyListener();
            listeners.whileTheSwitchCannotStart();
        }
        listeners.afterwards();
    }

    private final ServerSocketChannel channel = bound();
    private final ServerSocketChannel idle = bound();
    private final ServerSocketChannel changing = bound();
    private final ServerSocket server = new ServerSocket(0, 5, HERE);
    private final ServerSocket other = new ServerSocket(0, 5, HERE);
    private final ServerSocket timed = new ServerSocket(0, 5, HERE);
    private final Selector selector = Selector.open();
    private final Socket toChannel = connected(channel);
    private final Socket toServer = new Socket(HERE, server.getLocalPort());
    private FutureTask<SocketChannel> waiting;
    private FutureTask<Socket> ended;
    private FutureTask<SocketChannel> first;
    private FutureTask<SelectableChannel> change;
    private FutureTask<Long> timedOut;

    private EarlyListener() throws IOException {}

    private void whileTheSwitchCannotStart() throws Exception {
        timed.setSoTimeout(TIME_OUT_MILLIS);
        timedOut = started(this::timeOut);
        channel.configureBlocking(false);
        SelectionKey key = channel.register(selector, SelectionKey.OP_ACCEPT);
        int _ = selector.select(10_000);
        print("acceptable", key.isAcceptable());
        other.setSoTimeout(50);
        print("time-out", thrown(other::accept));
        other.setSoTimeout(0);
        idle.socket().setSoTimeout(50);
        print("channel's time-out", thrown(idle.socket()::accept));
        print("accepts", answers(toChannel, channel.accept().socket()));
        print("socket accepts", answers(toServer, server.accept()));
        waiting = started(idle::accept);
        ended = started(other::accept);
        other.close();
        first = new FutureTask<>(changing::accept);
        Thread accepting = Thread.ofPlatform().daemon().start(first);
        awaitNative(accepting);
        change = started(() -> changing.configureBlocking(false));
        try {
            long _ = timedOut.get(TIME_OUT_MILLIS * 2 / 3, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            print("still waits", true); // the rest of it when the switch goes on
        }
        print("the mode waits for accept", !change.isDone());
        try (Socket client = connected(changing)) {
            print("accepts before the mode changes", answers(client, first.get().socket()));
        }
        print("changed", change.get().isBlocking());
        print("none", changing.accept());
        changing.close();
    }

    /** Until the thread waits for a connection. */
    private static void awaitNative(Thread thread) {
        StackTraceElement[] stack;
        do {
            stack = thread.getStackTrace();
        } while (stack.length == 0
                || !stack[0].isNativeMethod()
                || !stack[0].getClassName().equals("sun.nio.ch.Net"));
    }

    /** Milliseconds that it takes. */
    private long timeOut() {
        long startNanos = System.nanoTime();
        print("timed", thrown(timed::accept));
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    }

    private void afterwards() throws Exception {
        print("in time", timedOut.get() < TIME_OUT_MILLIS * 3 / 2);
        print("closed", thrown(ended::get));
        print("again", again(channel, selector));
        try (Socket client = new Socket(HERE, server.getLocalPort())) {
            print("socket again", answers(client, server.accept()));
        }
        idle.close();
        print("channel closed", closedChannel(waiting));
        channel.close();
        server.close();
        timed.close();
        selector.close();
    }

    private static void acceptShort() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, HERE);
                ServerSocketChannel channel = bound()) {
            for (int n = 0; n < 3; n++) {
                try (Socket _ = new Socket(HERE, server.getLocalPort());
                        Socket _ = connected(channel)) {
                    server.accept().close();
                    channel.accept().close();
                }
            }
        }
    }

    private static void serve() throws Exception {
        try (Selector selector = Selector.open();
                ServerSocketChannel listener = ServerSocketChannel.open()) {
            synchronized (lock()) {
                listener.bind(new InetSocketAddress(HERE, 0)).configureBlocking(false);
                SelectionKey _ = listener.register(selector, SelectionKey.OP_ACCEPT);
                int _ = selector.selectNow(); // it is in the selector now
            }
            System.out.println("READY " + listener.socket().getLocalPort());
            SocketChannel accepted = null;
            while (accepted == null) {
                int _ = selector.select();
                selector.selectedKeys().clear();
                accepted = listener.accept();
            }
            print("end", accepted.read(ByteBuffer.allocate(1)));
            accepted.close();
        }
    }

    /** Another connection to the same listener, by the selector. */
    private static boolean again(ServerSocketChannel listener, Selector selector) throws Exception {
        selector.selectedKeys().clear();
        boolean idle = selector.select(50) == 0;
        try (Socket client = connected(listener)) {
            int _ = selector.select(10_000);
            return idle && answers(client, listener.accept().socket());
        }
    }

    private static ServerSocketChannel bound() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(HERE, 0));
    }

    private static Socket connected(ServerSocketChannel listener) throws IOException {
        return new Socket(HERE, listener.socket().getLocalPort());
    }

    private static boolean answers(Socket client, Socket accepted) throws IOException {
        try (accepted) {
            client.getOutputStream().write(42);
            accepted.getOutputStream().write(accepted.getInputStream().read());
            return client.getInputStream().read() == 42;
        }
    }

    /** A task that has begun. */
    private static <T> FutureTask<T> started(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = Thread.ofPlatform().daemon().start(future);
        while (thread.getState() == Thread.State.NEW) {
            Thread.onSpinWait();
        }
        return future;
    }

    private static String thrown(Callable<?> task) {
        try {
            Object _ = task.call();
            return "nothing";
        } catch (Exception e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return cause.getClass().getSimpleName();
        }
    }

    /** Before it accepts or meanwhile: it may not have begun. */
    private static boolean closedChannel(FutureTask<?> accepting) throws InterruptedException {
        try {
            Object _ = accepting.get();
            return false;
        } catch (ExecutionException e) {
            return e.getCause() instanceof ClosedChannelException;
        }
    }

    private static void print(String name, Object value) {
        System.out.println(name + "=" + value);
    }

    /** The lock of the start. */
    static Object lock() throws ReflectiveOperationException {
        return shim("Boot") == null ? new Object() : boot("LOCK").get(null);
    }

    /** A field of the start. */
    static Field boot(String name) throws ReflectiveOperationException {
        Field field = shim("Boot").getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /** A class of the shim; null without the agent. */
    static Class<?> shim(String name) {
        try {
            return Class.forName("io.sdp4j.shim." + name);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }
}
