package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.Socket;

/**
 * {@code PORT}: reads to the end, writes until the switch has taken the socket over, closes it and
 * reads once more. The peer there does what the first byte asks for, see {@code EarlyIT}. Needs
 * {@code java.net} open.
 */
public final class EarlyEnd {
    private EarlyEnd() {}

    /** Prints {@code after=} what the last read gave. */
    public static void main(String[] args) throws Exception {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        OutputStream out = socket.getOutputStream();
        out.write('F');
        InputStream in = socket.getInputStream();
        System.out.println("read=" + in.readAllBytes().length);
        byte[] chunk = new byte[64 << 10];
        while (!switched(socket)) {
            out.write(chunk);
        }
        socket.close();
        System.out.println("after=" + after(in));
    }

    private static String after(InputStream in) {
        try {
            return Integer.toString(in.read());
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static boolean switched(Socket socket) throws ReflectiveOperationException {
        Field impl = Socket.class.getDeclaredField("impl");
        impl.setAccessible(true);
        Object early = impl.get(socket);
        Field next = early.getClass().getSuperclass().getDeclaredField("next");
        next.setAccessible(true);
        return next.get(early) != null;
    }
}
