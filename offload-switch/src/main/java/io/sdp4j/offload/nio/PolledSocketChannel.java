package io.sdp4j.offload.nio;

import io.sdp4j.offload.jdk.ChannelBridge;
import java.io.FileDescriptor;
import java.nio.channels.spi.SelectorProvider;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Questions of the JDK's selectors to a channel. The kernel's channel answers until there is a
 * notify descriptor, but for the time of an attempt, when nothing is ready.
 */
abstract sealed class PolledSocketChannel extends DataSocketChannel implements SelChImpl
        permits SwitchSocketChannel {
    PolledSocketChannel(SelectorProvider provider, ChannelOptions options) {
        super(provider, options);
    }

    /** Null as long as the kernel's descriptor is the one to watch. */
    abstract ReadinessFd notifyFd();

    private SelChImpl selectableKernel() {
        SelChImpl kernel = (SelChImpl) kernel();
        if (kernel == null) {
            throw new UnsupportedOperationException(
                    "the connection is offloaded and has no socket of the kernel's that carries it;"
                            + " a rule 'use tcp' for it gives it one");
        }
        return kernel;
    }

    @Override
    public FileDescriptor getFD() {
        ReadinessFd d = notifyFd();
        return d != null ? d.descriptor() : selectableKernel().getFD();
    }

    @Override
    public int getFDVal() {
        ReadinessFd d = notifyFd();
        return d != null ? d.value() : selectableKernel().getFDVal();
    }

    @Override
    public int translateInterestOps(int ops) {
        ChannelConnect c = connecting();
        // Asked first: a thread that makes this an offloaded channel from here on finds the key for
        // which is asked, and waits for the answer.
        if (c != null && c.selectors().forgetting()) {
            return 0;
        }
        ReadinessFd d = notifyFd();
        if (d != null) {
            return c != null && c.selectors().unknownToAsker() ? 0 : d.translateInterest(ops);
        }
        // While an attempt runs nothing is ready; its end makes selectors ask again.
        return c.trying()
                ? 0
                : c.selectors().interestInKernel(selectableKernel().translateInterestOps(ops));
    }

    @Override
    public boolean translateAndSetReadyOps(int ops, SelectionKeyImpl key) {
        return translate(ops, 0, key);
    }

    @Override
    public boolean translateAndUpdateReadyOps(int ops, SelectionKeyImpl key) {
        return translate(ops, key.nioReadyOps(), key);
    }

    private boolean translate(int ops, int initialOps, SelectionKeyImpl key) {
        ReadinessFd d = notifyFd();
        if (d != null) {
            return d.translateReady(initialOps, key);
        }
        if (connecting().trying()) {
            key.nioReadyOps(initialOps);
            ChannelBridge.queueUpdate(key); // the kernel's socket is registered still
            return false;
        }
        return initialOps == 0
                ? selectableKernel().translateAndSetReadyOps(ops, key)
                : selectableKernel().translateAndUpdateReadyOps(ops, key);
    }
}
