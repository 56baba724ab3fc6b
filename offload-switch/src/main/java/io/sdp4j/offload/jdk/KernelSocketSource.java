package io.sdp4j.offload.jdk;

import java.net.SocketImpl;

/** Makes the kernel side of switched sockets. Stateless. */
public enum KernelSocketSource {
    /** The JDK's own implementations; needs what {@link JdkBridge#selfTest} looks for. */
    JDK,

    /**
     * Public sockets and channels. They need no access to the JDK, but one wrapper more, and {@code
     * interrupt} closes a connection that was accepted from the kernel. For the explicit API only.
     * Behind an installed factory they would ask that factory, so an agent without access leaves
     * sockets on the kernel.
     */
    PUBLIC;

    /** Returns the best source that this JVM allows. */
    public static KernelSocketSource best() {
        return JdkBridge.usable() ? JDK : PUBLIC;
    }

    /**
     * Makes a socket that can connect.
     *
     * @param proxies whether {@code connect} asks the {@code ProxySelector} and honours {@code
     *     socksProxyHost}, as {@code new Socket()} does
     */
    public KernelSocket client(boolean proxies) {
        return this == PUBLIC
                ? new PublicClient(proxies)
                : client(JdkClasses.SOCKETS.platform(false), proxies);
    }

    /** Makes such a socket on top of an existing implementation of the JDK's. */
    public static KernelSocket client(SocketImpl platform, boolean proxies) {
        return new KernelSocket(proxies ? JdkClasses.SOCKETS.behindProxies(platform) : platform);
    }

    public KernelSocket server() {
        return this == PUBLIC ? new PublicServer() : server(JdkClasses.SOCKETS.platform(true));
    }

    /** Makes a listener on top of an existing implementation of the JDK's. */
    public static KernelSocket server(SocketImpl platform) {
        return new KernelSocket(platform);
    }
}
