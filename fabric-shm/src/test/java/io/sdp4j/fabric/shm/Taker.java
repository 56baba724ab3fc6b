package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.QueuePair;
import java.util.Collection;
import java.util.function.Consumer;

/** Hands on what becomes of accepted requests, on the event thread: neither may wait. */
record Taker(Consumer<QueuePair> taken, Consumer<FabricException> failed)
        implements ConnectionRequest.Outcome {
    /** Of connections whose other side may give up. */
    static Taker into(Collection<QueuePair> accepted) {
        return new Taker(accepted::add, failure -> {});
    }

    @Override
    public void onEstablished(QueuePair qp) {
        taken.accept(qp);
    }

    @Override
    public void onFailed(FabricException failure) {
        failed.accept(failure);
    }
}
