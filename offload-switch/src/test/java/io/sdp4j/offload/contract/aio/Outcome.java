package io.sdp4j.offload.contract.aio;

import io.sdp4j.offload.contract.Expect;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;

/** A handler that keeps what it was told, by whom, and how often. */
public final class Outcome<V> implements CompletionHandler<V, Object> {
    private static final int PATIENCE_SECONDS = 20;

    private final CountDownLatch told = new CountDownLatch(1);
    private int times; // this
    private V value; // this
    private Throwable failure; // this
    private Object attachment; // this
    private Thread thread; // this

    private synchronized void tell(V result, Throwable thrown, Object with) {
        times++;
        value = result;
        failure = thrown;
        attachment = with;
        thread = Thread.currentThread();
        told.countDown();
    }

    @Override
    public void completed(V result, Object with) {
        tell(result, null, with);
    }

    @Override
    public void failed(Throwable thrown, Object with) {
        tell(null, thrown, with);
    }

    public boolean done() {
        return told.getCount() == 0;
    }

    private void await() throws InterruptedException {
        Assertions.assertTrue(told.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "never completed");
    }

    /** Outcome of the operation, exactly once. */
    public V get() throws InterruptedException {
        await();
        synchronized (this) {
            assertOnce();
            if (failure != null) {
                throw new AssertionError("failed", failure);
            }
            return value;
        }
    }

    /** How the operation failed, exactly once. */
    public Throwable failure() throws InterruptedException {
        await();
        synchronized (this) {
            assertOnce();
            return Assertions.assertInstanceOf(Throwable.class, failure, () -> "gave " + value);
        }
    }

    /** Also for later, when it has been told: another telling may follow. */
    synchronized void assertOnce() {
        Assertions.assertEquals(1, times, "how often it was told");
    }

    public void failedWith(Class<? extends Throwable> type, String message)
            throws InterruptedException {
        Expect.is(type, message, failure());
    }

    public synchronized Thread thread() {
        return thread;
    }

    public synchronized Object attachment() {
        return attachment;
    }
}
