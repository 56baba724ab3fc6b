package io.sdp4j.offload.net;

import io.sdp4j.offload.SwitchCounters;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Verdict;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.function.Function;

/**
 * Tells whether the JDK would send a socket through a proxy (behaviour 31). Stateless.
 *
 * <p>Without a factory, {@code new Socket()} asks the {@code ProxySelector} and {@code new
 * Socket(Proxy.NO_PROXY)} does not. With a factory, both ask the factory, which is not told which
 * of them it is.
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
     * Stands for a proxy that cannot be determined: the kernel path asks the selector again and
     * reports the error.
     */
    private static final Proxy IN_DOUBT =
            new Proxy(Proxy.Type.SOCKS, InetSocketAddress.createUnresolved("unknown", 0));

    /** The SOCKS proxy through which the JDK would connect to {@code remote}, or null. */
    static Proxy towards(InetSocketAddress remote) {
        if (!possible()) {
            return null;
        }
        String host = remote.getHostString();
        if (remote.getAddress() instanceof Inet6Address && host.indexOf(':') >= 0) {
            host = "[" + host + "]";
        }
        try {
            URI uri = new URI("socket://" + host + ":" + remote.getPort());
            List<Proxy> proxies = ProxySelector.getDefault().select(uri);
            Proxy first = proxies.isEmpty() ? null : proxies.getFirst();
            return first != null && first.type() == Proxy.Type.SOCKS ? first : null;
        } catch (URISyntaxException | IllegalArgumentException e) {
            return IN_DOUBT;
        }
    }

    /**
     * Throws if the rules for the proxy's own address forbid TCP, by which a proxy is reached.
     *
     * @param proxy null = none
     */
    static void requireTcpAllowed(
            Proxy proxy, Function<InetSocketAddress, Decision> rules, SwitchCounters counters)
            throws ConnectException {
        if (proxy == null
                || IN_DOUBT.equals(proxy)
                || !(proxy.address() instanceof InetSocketAddress named)) {
            return;
        }
        // selectors return unresolved names, and the JDK resolves them in the same way
        InetSocketAddress at =
                named.isUnresolved()
                        ? new InetSocketAddress(named.getHostString(), named.getPort())
                        : named;
        if (at.isUnresolved()) {
            return;
        }
        Decision decision = rules.apply(at);
        if (decision.verdict() == Verdict.OFFLOAD_ONLY) {
            throw refused(at, decision, counters);
        }
    }

    /**
     * Counts and returns the refusal of a destination behind a proxy, or of a proxy, whose rule
     * requires offload.
     */
    static ConnectException refused(
            InetSocketAddress target, Decision decision, SwitchCounters counters) {
        counters.refused();
        return new ConnectException(
                "Connection refused ("
                        + target
                        + " would be reached by TCP, because of a SOCKS proxy; rule: "
                        + decision.rule()
                        + ")");
    }
}
