package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;

/**
 * A listener that is there before the switch starts, and accepts into every kind of socket before
 * and afterwards. Prints a result each.
 */
public final class Accepting {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private Accepting() {}

    /**
     * Does it.
     *
     * @param args {@code lost}: the switch cannot go on with the listener; {@code no thread}: there
     *     is none for the start until an accept waits for it
     */
    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("no thread")) {
            thereIsAThread(true);
            Thread main = Thread.currentThread();
            Thread.ofPlatform().daemon().start(() -> failToStartOne(main));
        }
        try (Listener listener = new Listener()) {
            if (List.of(args).contains("lost")) {
                goOnInVain();
            }
            each("before", listener);
            try (Socket needsTheSwitch = new Socket(HERE, listener.getLocalPort(), HERE, 0);
                    Socket accepted = listener.accept()) {
                System.out.println("started=" + answers(needsTheSwitch, accepted));
            }
            each("after", listener);
        }
    }

    private static void each(String when, Listener listener) throws IOException {
        accept(when + " any", listener, null);
        accept(when + " new", listener, new Socket());
        Socket timed = new Socket();
        timed.setSoTimeout(9_876);
        accept(when + " timed", listener, timed);
        replace(when + " connected", listener);
    }

    /** Into one that was accepted before: the peer of the first connection sees its end. */
    private static void replace(String name, Listener listener) throws IOException {
        Socket into = new Socket();
        try (Socket first = new Socket(HERE, listener.getLocalPort())) {
            Socket _ = listener.accept(into);
            accept(name, listener, into);
            System.out.println(name + " ends=" + first.getInputStream().read());
        }
    }

    private static void accept(String name, Listener listener, Socket into) {
        String result;
        try (Socket client = new Socket(HERE, listener.getLocalPort());
                Socket accepted = into == null ? listener.accept() : listener.accept(into)) {
            result = answers(client, accepted) + " " + accepted.getSoTimeout();
        } catch (IOException | RuntimeException | Error e) {
            result = e.toString();
        }
        System.out.println(name + "=" + result);
    }

    private static boolean answers(Socket client, Socket accepted) throws IOException {
        client.getOutputStream().write(42);
        accepted.getOutputStream().write(accepted.getInputStream().read());
        return client.getInputStream().read() == 42;
    }

    private static final class Listener extends ServerSocket {
        Listener() throws IOException {
            super(0, 5, HERE);
        }

        /** As listeners of TLS do it. */
        Socket accept(Socket into) throws IOException {
            implAccept(into);
            return into;
        }
    }

    /** The start believes for as long that another one is on, which gives no switch. */
    private static void goOnInVain() throws Exception {
        EarlyListener.boot("starting").setBoolean(null, true);
        Method wanted = Class.forName("io.sdp4j.shim.EarlyStart").getDeclaredMethod("wanted");
        wanted.setAccessible(true);
        Object _ = wanted.invoke(null);
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("sdp4j-start")) {
                thread.join();
            }
        }
        EarlyListener.boot("starting").setBoolean(null, false);
    }

    /** The start learns of a thread that could not be started when {@code main} waits for it. */
    private static void failToStartOne(Thread main) {
        try {
            while (!waitsForTheSwitch(main)) {
                Thread.sleep(1);
            }
            thereIsAThread(false);
        } catch (ReflectiveOperationException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean waitsForTheSwitch(Thread main) {
        StackTraceElement[] stack = main.getStackTrace();
        return main.getState() != Thread.State.RUNNABLE
                && Arrays.stream(stack).anyMatch(f -> f.getMethodName().equals("awaitSwitch"));
    }

    private static void thereIsAThread(boolean running) throws ReflectiveOperationException {
        Class<?> start = Class.forName("io.sdp4j.shim.EarlyStart");
        Field lock = start.getDeclaredField("LOCK");
        lock.setAccessible(true);
        Field field = start.getDeclaredField("running");
        field.setAccessible(true);
        synchronized (lock.get(null)) {
            field.setBoolean(null, running);
        }
    }
}
