package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Constructor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;

/**
 * {@code PORT}: has this program in the place of the switch, for early sockets, and prints what
 * they tell it. It has no memory for a socket that has carried enough. The peer there does what the
 * first byte asks for, see {@code EarlyIT}. Needs {@code java.net} open.
 */
public final class EarlyByHand {
    private static final int MAY_MOVE = 1;
    private static final int TIMEOUT_MILLIS = 60_000;

    private static Map<String, Object> told; // the state of the last socket; null = none
    private static int asked; // how often a socket had carried enough

    private final SocketImpl impl;
    private final Socket socket;

    private EarlyByHand(int port, char wish) throws Exception {
        ToIntBiFunction<InetSocketAddress, InetSocketAddress> place = (_, _) -> MAY_MOVE;
        Function<Map<String, Object>, SocketImpl> start = EarlyByHand::start;
        Constructor<?> constructor =
                Class.forName("java.net.EarlySocketImpl", false, null)
                        .getDeclaredConstructor(
                                ToIntBiFunction.class, Function.class, AtomicLongArray.class);
        constructor.setAccessible(true);
        impl = (SocketImpl) constructor.newInstance(place, start, new AtomicLongArray(16));
        socket = new Early(impl);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.getOutputStream().write(wish);
    }

    private static final class Early extends Socket {
        Early(SocketImpl impl) throws SocketException {
            super(impl);
        }
    }

    private static SocketImpl start(Map<String, Object> state) {
        if (state.containsKey("enough")) {
            asked++;
            throw new OutOfMemoryError("test");
        }
        if (!state.isEmpty()) {
            told = state;
        }
        return null;
    }

    /** Prints one line for each matter. */
    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        new Socket().close(); // the agent makes the class
        new EarlyByHand(port, 'E').limit();
        new EarlyByHand(port, 'R').part();
        new EarlyByHand(port, 'E').scarce();
    }

    /** Whether the descriptor does not block, as the socket tells the switch that goes on. */
    private Object nonBlocking() {
        told = null;
        Object _ = ((Supplier<?>) impl).get();
        return told == null ? "stays" : told.get("nonBlocking");
    }

    private void limit() throws IOException {
        try (socket) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            System.out.println("limit=" + nonBlocking());
            socket.getOutputStream().write(1);
            System.out.println("read=" + socket.getInputStream().read());
            System.out.println("timed=" + nonBlocking());
        }
    }

    private void part() throws IOException {
        try (socket) {
            socket.getOutputStream().write(new byte[64 << 20]);
        } catch (SocketException e) {
            System.out.println("part=" + nonBlocking());
        }
    }

    private void scarce() throws IOException {
        byte[] chunk = new byte[16 << 10];
        try (socket) {
            OutputStream out = socket.getOutputStream();
            InputStream in = socket.getInputStream();
            while (asked < 4) { // by reads and writes, each more than once
                out.write(chunk);
                if (in.readNBytes(chunk.length).length < chunk.length) {
                    throw new IOException("it has ended");
                }
            }
            System.out.println("scarce=" + nonBlocking());
        }
    }
}
