package io.sdp4j.offload.aio;

import java.nio.channels.AsynchronousSocketChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** The future of a kernel listener's accept; counts the connection when it is taken. */
final class CountedAccept implements Future<AsynchronousSocketChannel> {
    private final SwitchAsynchronousServerSocketChannel listener;
    private final Future<AsynchronousSocketChannel> accept;
    private final AtomicBoolean counted = new AtomicBoolean();

    CountedAccept(
            SwitchAsynchronousServerSocketChannel listener,
            Future<AsynchronousSocketChannel> accept) {
        this.listener = listener;
        this.accept = accept;
    }

    private AsynchronousSocketChannel count(AsynchronousSocketChannel accepted) {
        return counted.compareAndSet(false, true) ? listener.counted(accepted) : accepted;
    }

    @Override
    public AsynchronousSocketChannel get() throws InterruptedException, ExecutionException {
        return count(accept.get());
    }

    @Override
    public AsynchronousSocketChannel get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return count(accept.get(timeout, unit));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return accept.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean isCancelled() {
        return accept.isCancelled();
    }

    @Override
    public boolean isDone() {
        return accept.isDone();
    }
}
