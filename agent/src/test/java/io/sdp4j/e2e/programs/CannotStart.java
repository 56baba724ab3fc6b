package io.sdp4j.e2e.programs;

import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** {@code PORT}: a bound socket, or with {@code channel} a channel, where the switch fails. */
public final class CannotStart {
    private CannotStart() {}

    /** Options that no start can read. */
    private static final class Unreadable extends HashMap<String, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public Set<Map.Entry<String, String>> entrySet() {
            throw new IllegalStateException("of the test");
        }
    }

    /** Connects. */
    public static void main(String[] args) throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        InetSocketAddress peer = new InetSocketAddress(here, Integer.parseInt(args[0]));
        InetSocketAddress any = new InetSocketAddress(here, 0);
        Field options = EarlyListener.shim("Options").getDeclaredField("given");
        options.setAccessible(true);
        try (Socket socket = new Socket();
                SocketChannel channel = SocketChannel.open()) {
            Unreadable unreadable = new Unreadable();
            ((Map<?, ?>) options.get(null))
                    .forEach((key, value) -> unreadable.put((String) key, (String) value));
            options.set(null, unreadable);
            if (args.length > 1) {
                channel.bind(any);
                System.out.println("connected=" + channel.connect(peer));
            } else {
                socket.bind(any);
                socket.connect(peer);
                System.out.println("connected=" + socket.isConnected());
            }
        }
    }
}
