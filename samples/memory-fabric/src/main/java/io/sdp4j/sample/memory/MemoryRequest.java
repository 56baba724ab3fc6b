package io.sdp4j.sample.memory;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.QpSpec;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A connection on its way: the client waits in {@link #await}, the server answers once.
 *
 * <p>{@code this} guards what has become of it: nothing yet, a connection, or a failure.
 */
final class MemoryRequest implements ConnectionRequest {
    private final ConnectRequest request;
    private final InetSocketAddress server;
    private final InetSocketAddress client;
    private final MemoryFabric active;
    private final MemoryFabric passive;
    private Fabric.Connection connection;
    private FabricException failure;

    MemoryRequest(
            ConnectRequest request,
            InetSocketAddress server,
            InetSocketAddress client,
            MemoryFabric active,
            MemoryFabric passive) {
        this.request = request;
        this.server = server;
        this.client = client;
        this.active = active;
        this.passive = passive;
    }

    @Override
    public InetSocketAddress localAddress() {
        return server;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return client;
    }

    @Override
    public byte[] privateData() {
        return request.privateData().clone();
    }

    synchronized boolean answered() {
        return connection != null || failure != null;
    }

    @Override
    public void accept(QpSpec spec, byte[] privateData, Outcome outcome) {
        MemoryQueuePair own = null;
        FabricException why;
        synchronized (this) {
            if (!answered()) {
                MemoryQueuePair theirs = new MemoryQueuePair(active, request.spec());
                own = theirs.otherEnd(passive, spec);
                connection = new Fabric.Connection(theirs, privateData.clone());
                notifyAll();
            }
            why = failure;
        }
        if (own == null) { // too late: the client has left
            MemoryFabric.EVENTS.execute(() -> outcome.onFailed(why));
        } else {
            MemoryQueuePair established = own;
            MemoryFabric.EVENTS.execute(() -> outcome.onEstablished(established));
        }
    }

    @Override
    public synchronized void reject(byte[] privateData) {
        fail(
                new FabricException(
                        FabricException.Cause.REFUSED, server + " refused", privateData, null));
    }

    private void fail(FabricException why) {
        if (!answered()) {
            failure = why;
            notifyAll();
        }
    }

    /** Waits for the answer, at most until the deadline; an interrupt is kept for the caller. */
    Fabric.Connection await(long deadlineNanos, BooleanSupplier abandoned) throws FabricException {
        boolean interrupted = false;
        synchronized (this) {
            while (!answered()) {
                long leftNanos = deadlineNanos - System.nanoTime();
                if (leftNanos <= 0) {
                    fail(new FabricException(FabricException.Cause.TIMED_OUT, "no answer in time"));
                } else if (abandoned.getAsBoolean()) {
                    fail(new FabricException(FabricException.Cause.ABANDONED, "not wanted"));
                } else {
                    try {
                        TimeUnit.NANOSECONDS.timedWait(
                                this, Math.min(leftNanos, ConnectRequest.ABANDON_CHECK_NANOS));
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw failure;
        }
        return connection;
    }
}
