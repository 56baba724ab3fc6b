package io.sdp4j.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** An address of each kind that this JVM holds as long as it lives, as a client must. */
public final class HeldAddress {
    private static final Map<InetAddress, Socket> HELD = new ConcurrentHashMap<>();

    private HeldAddress() {}

    public static InetSocketAddress on(InetAddress host) {
        return (InetSocketAddress)
                HELD.computeIfAbsent(host, HeldAddress::bound).getLocalSocketAddress();
    }

    private static Socket bound(InetAddress host) {
        try {
            Socket s = new Socket();
            s.bind(new InetSocketAddress(host, 0));
            return s;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
