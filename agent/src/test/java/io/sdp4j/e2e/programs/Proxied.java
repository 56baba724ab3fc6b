package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;

/**
 * {@code HOW PROXY-PORT DESTINATION-PORT MILLIS}: connects through a SOCKS proxy that a constructor
 * or the default selector names, or past that one, or from a bound socket.
 */
public final class Proxied {
    private Proxied() {}

    /** Prints whether it is {@code connected}, and why not. */
    public static void main(String[] args) throws IOException {
        InetSocketAddress via = at(args[1]);
        InetSocketAddress to = at(args[2]);
        int millis = Integer.parseInt(args[3]);
        Socket socket =
                switch (args[0]) {
                    case "named" -> new Socket(new Proxy(Proxy.Type.SOCKS, via));
                    case "unresolved" ->
                            new Socket(
                                    new Proxy(
                                            Proxy.Type.SOCKS,
                                            InetSocketAddress.createUnresolved(
                                                    "localhost", via.getPort())));
                    case "selected" -> {
                        ProxySelector.setDefault(new Socks(via));
                        yield new Socket();
                    }
                    case "declined" -> {
                        ProxySelector.setDefault(new Socks(via));
                        yield new Socket(Proxy.NO_PROXY);
                    }
                    case "bound" -> {
                        Socket bound = new Socket();
                        bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                        yield bound;
                    }
                    default -> throw new IllegalArgumentException(args[0]);
                };
        String problem = "none";
        try {
            socket.connect(to, millis);
        } catch (IOException e) {
            problem = e.toString();
        }
        System.out.println("connected=" + socket.isConnected());
        System.out.println("problem=" + problem);
    }

    private static InetSocketAddress at(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }

    private static final class Socks extends ProxySelector {
        private final InetSocketAddress via;

        Socks(InetSocketAddress via) {
            this.via = via;
        }

        @Override
        public List<Proxy> select(URI uri) {
            return List.of(new Proxy(Proxy.Type.SOCKS, via));
        }

        @Override
        public void connectFailed(URI uri, SocketAddress to, IOException e) {}
    }
}
