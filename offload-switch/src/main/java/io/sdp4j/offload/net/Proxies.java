package io.sdp4j.offload.net;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;

/**
 * Whether the JDK would send a socket through a proxy (NET-15 to NET-17). Stateless.
 *
 * <p>Without a factory, {@code new Socket()} asks the {@code ProxySelector} and {@code new
 * Socket(Proxy.NO_PROXY)} does not; with one, both ask the factory, which is told nothing.
 */
final class Proxies {
    /** The selector of a JVM that was given none; obeys {@code socksProxyHost}. */
    private static final String DEFAULT_SELECTOR = "sun.net.spi.DefaultProxySelector";

    private Proxies() {}

    /** Whether any destination could go through a proxy; cheap. */
    static boolean possible() {
        ProxySelector selector = ProxySelector.getDefault();
        return selector != null
                && (!selector.getClass().getName().equals(DEFAULT_SELECTOR)
                        || System.getProperty("socksProxyHost") != null
                        || Boolean.getBoolean("java.net.useSystemProxies"));
    }

    /**
     * Whether the calling thread is in the constructor {@code Socket(Proxy)}. Costs a stack walk.
     */
    static boolean declined() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(
                        frames ->
                                frames.anyMatch(
                                        f ->
                                                f.getClassName().equals(Socket.class.getName())
                                                        && f.getMethodName().equals("<init>")
                                                        && f.getDescriptor()
                                                                .equals("(Ljava/net/Proxy;)V")));
    }

    /**
     * Whether the JDK would connect to {@code remote} through a SOCKS proxy. In doubt yes: then the
     * kernel path asks again and reports what is wrong.
     */
    static boolean handles(InetSocketAddress remote) {
        if (!possible()) {
            return false;
        }
        String host = remote.getHostString();
        if (remote.getAddress() instanceof Inet6Address && host.indexOf(':') >= 0) {
            host = "[" + host + "]";
        }
        try {
            URI uri = new URI("socket://" + host + ":" + remote.getPort());
            List<Proxy> proxies = ProxySelector.getDefault().select(uri);
            return !proxies.isEmpty()
                    && proxies.getFirst() != null
                    && proxies.getFirst().type() == Proxy.Type.SOCKS;
        } catch (URISyntaxException | IllegalArgumentException e) {
            return true;
        }
    }
}
