package io.sdp4j.offload.nio;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.offload.ConnectThreads;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.policy.Role;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import sun.nio.ch.EPollSelectorProvider;

/**
 * The JDK's own provider with other stream-socket channels. Selectors, datagram channels, pipes,
 * UNIX-domain and inherited channels are the JDK's, and so is every stream-socket channel that no
 * rule could ever offload (behaviours 88 and 98).
 *
 * <p>What the JDK has to be told of switched channels takes a JVM tens of milliseconds. A listener
 * does not wait for it: it is begun on another thread when the listener is made, and is over before
 * a channel of a connection is handed out.
 */
final class SwitchSelectorProvider extends EPollSelectorProvider {
    private final OffloadSwitch owner;
    private final Once teach;

    /**
     * @param teach run before the first channel of a connection is handed out; null = nothing
     */
    SwitchSelectorProvider(OffloadSwitch owner, Runnable teach) {
        this.owner = owner;
        this.teach = new Once(teach);
    }

    /** A task that is run once; those that come meanwhile wait for it. */
    private static final class Once implements Runnable {
        private volatile Runnable task; // null once it has run; set under this

        Once(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            if (task != null) {
                synchronized (this) {
                    if (task != null) {
                        task.run();
                        task = null;
                    }
                }
            }
        }
    }

    /** A channel of a connection is about to be made. */
    void teach() {
        teach.run();
    }

    private ServerSocketChannel listener(ProtocolFamily family) throws IOException {
        beginToTeach();
        ServerSocketChannel listener = SwitchListener.open(this, family);
        owner.opened(listener);
        return listener;
    }

    /** There is a listener, and may be a channel of a connection soon. */
    void beginToTeach() {
        if (teach.task != null) {
            ConnectThreads.start(teach);
        }
    }

    OffloadSwitch owner() {
        return owner;
    }

    private boolean mayOffload(Role role) {
        return !KernelSockets.active() && owner.policy().canOffload(role);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        SocketChannel kernel = super.openSocketChannel();
        return mayOffload(Role.CONNECT) ? new SwitchSocketChannel(this, kernel, null) : kernel;
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        SocketChannel kernel = super.openSocketChannel(family);
        return family != StandardProtocolFamily.UNIX && mayOffload(Role.CONNECT)
                ? new SwitchSocketChannel(this, kernel, family)
                : kernel;
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return mayOffload(Role.LISTEN) ? listener(null) : super.openServerSocketChannel();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        return family != null && family != StandardProtocolFamily.UNIX && mayOffload(Role.LISTEN)
                ? listener(family)
                : super.openServerSocketChannel(family);
    }

    /** One of the JDK's own, of {@code family} or if that is null of the default one. */
    SocketChannel kernelChannel(ProtocolFamily family) throws IOException {
        return family == null ? super.openSocketChannel() : super.openSocketChannel(family);
    }
}
