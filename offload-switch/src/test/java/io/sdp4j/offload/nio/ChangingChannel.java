package io.sdp4j.offload.nio;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import sun.nio.ch.Net;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Asks selectors as the switch's channels do, and is a pipe's descriptor. Not in the test's file,
 * as Maven looks for tests where the JDK's internals are closed.
 */
final class ChangingChannel extends AbstractSelectableChannel implements SelChImpl {
    final Pipe pipe = Pipe.open();
    final CountDownLatch asked = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);
    volatile boolean askedAgain;
    private final KnownSelectors known = new KnownSelectors(this);
    private volatile boolean changed;

    ChangingChannel() throws IOException {
        super(SelectorProvider.provider());
        configureBlocking(false);
    }

    /** To be started: no signature of the test may name this class. */
    Callable<SelectionKey> registration(Selector selector) {
        return () -> register(selector, SelectionKey.OP_READ);
    }

    Void change() {
        takeOut();
        putBack();
        return null;
    }

    /** In a method of its own, as a frame of the test would keep the selector. */
    WeakReference<Selector> changeInOneThatIsClosed(boolean asksMeanwhile) throws IOException {
        try (Selector selector = Selector.open()) {
            register(selector, SelectionKey.OP_READ);
            if (!asksMeanwhile) {
                selector.selectNow();
            }
            takeOut();
            if (asksMeanwhile) {
                selector.selectNow();
            }
            putBack();
            return new WeakReference<>(selector);
        }
    }

    void takeOut() {
        known.takeOut(this);
    }

    void putBack() {
        changed = true;
        known.putBack(this);
    }

    @Override
    public int translateInterestOps(int ops) {
        if (changed) {
            askedAgain = true;
            return Net.POLLIN;
        }
        return known.forgetting() ? 0 : known.interestInKernel(inKernel());
    }

    private int inKernel() {
        asked.countDown();
        try {
            goOn.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return Net.POLLIN;
    }

    @Override
    public boolean translateAndSetReadyOps(int ops, SelectionKeyImpl key) {
        key.nioReadyOps(SelectionKey.OP_READ);
        return true;
    }

    @Override
    public boolean translateAndUpdateReadyOps(int ops, SelectionKeyImpl key) {
        return translateAndSetReadyOps(ops, key);
    }

    @Override
    public FileDescriptor getFD() {
        return ((SelChImpl) pipe.source()).getFD();
    }

    @Override
    public int getFDVal() {
        return ((SelChImpl) pipe.source()).getFDVal();
    }

    @Override
    public int validOps() {
        return SelectionKey.OP_READ;
    }

    @Override
    protected void implConfigureBlocking(boolean block) {}

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        pipe.sink().close();
        if (!isRegistered()) {
            kill();
        }
    }

    @Override
    public void kill() {
        try {
            pipe.source().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
