package io.sdp4j.offload.jdk;

import java.net.SocketImpl;

/** Where the kernel side of switched sockets comes from. Stateless. */
public enum KernelSocketSource {
    /** The JDK's own implementations; needs what {@link JdkBridge#selfTest} looks for. */
    JDK {
        @Override
        public KernelSocket client(boolean proxies) {
            return JdkKernelSocket.client(proxies);
        }

        @Override
        public KernelSocket client(SocketImpl platform, boolean proxies) {
            return JdkKernelSocket.client(platform, proxies);
        }

        @Override
        public KernelSocket server() {
            return JdkKernelSocket.server();
        }

        @Override
        public KernelSocket server(SocketImpl platform) {
            return JdkKernelSocket.server(platform);
        }
    },

    /**
     * Public sockets and channels as they are: no access needed, but one wrapper more, and {@code
     * interrupt} closes a connection that was accepted from the kernel. For the explicit API; never
     * behind an installed factory, which would ask itself. An agent's leaves them on the kernel.
     */
    PUBLIC {
        @Override
        public KernelSocket client(boolean proxies) {
            return new PublicClient(proxies);
        }

        @Override
        public KernelSocket client(SocketImpl platform, boolean proxies) {
            throw notAccessible();
        }

        @Override
        public KernelSocket server() {
            return new PublicServer();
        }

        @Override
        public KernelSocket server(SocketImpl platform) {
            throw notAccessible();
        }
    };

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
    public abstract KernelSocket client(boolean proxies);

    /** As the other, on top of an implementation of the JDK's that exists already. */
    public abstract KernelSocket client(SocketImpl platform, boolean proxies);

    /** A listener. */
    public abstract KernelSocket server();

    /** As the other, on top of an implementation of the JDK's that exists already. */
    public abstract KernelSocket server(SocketImpl platform);

    private static UnsupportedOperationException notAccessible() {
        return new UnsupportedOperationException("the JDK's implementation is not accessible");
    }
}
