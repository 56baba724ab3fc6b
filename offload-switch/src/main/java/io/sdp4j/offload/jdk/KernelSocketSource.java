package io.sdp4j.offload.jdk;

import java.net.SocketImpl;

/** Where the kernel side of switched sockets comes from. Stateless. */
public enum KernelSocketSource {
    /** The JDK's own implementations; needs what {@link JdkBridge#selfTest} looks for. */
    JDK,

    /**
     * Public sockets and channels as they are: no access needed, but one wrapper more, and {@code
     * interrupt} closes a connection that was accepted from the kernel. For the explicit API; never
     * behind an installed factory, which would ask itself. An agent's leaves them on the kernel.
     */
    PUBLIC;

    /** The best that this JVM allows. */
    public static KernelSocketSource best() {
        return JdkBridge.usable() ? JDK : PUBLIC;
    }

    /**
     * A socket that can connect.
     *
     * @param proxies whether {@code connect} asks the {@code ProxySelector} and honours {@code
     *     socksProxyHost}, as {@code new Socket()} does
     */
    public KernelSocket client(boolean proxies) {
        return this == PUBLIC
                ? new PublicClient(proxies)
                : client(JdkClasses.SOCKETS.platform(false), proxies);
    }

    /** As the other, on top of an implementation of the JDK's that exists already. */
    public static KernelSocket client(SocketImpl platform, boolean proxies) {
        return new KernelSocket(proxies ? JdkClasses.SOCKETS.behindProxies(platform) : platform);
    }

    public KernelSocket server() {
        return this == PUBLIC ? new PublicServer() : server(JdkClasses.SOCKETS.platform(true));
    }

    /** As the other, on top of an implementation of the JDK's that exists already. */
    public static KernelSocket server(SocketImpl platform) {
        return new KernelSocket(platform);
    }
}
