package io.sdp4j.offload;

import io.sdp4j.offload.spi.OffloadStream;
import java.lang.ref.WeakReference;

/**
 * Takes the other end's limit, see {@link Handover}, from the stream of one moving connection: the
 * only reader ahead of the application. Thread-safe; {@code this} guards the fields.
 */
final class PeerLimit {
    private final MovingDirections connection;
    private final byte[] bytes = new byte[Handover.LIMIT_BYTES];
    private int have;

    /**
     * Holds this weakly, so that the provider does not keep a connection alive that the application
     * has forgotten. Made early: there may be no memory later.
     */
    private final Runnable onReady;

    PeerLimit(MovingDirections connection) {
        this.connection = connection;
        WeakReference<PeerLimit> self = new WeakReference<>(this);
        onReady =
                () -> {
                    PeerLimit limit = self.get();
                    if (limit != null) {
                        limit.await();
                    }
                };
    }

    /** Reads the limit as its bytes arrive, on threads of the provider. */
    void await() {
        do {
            if (taken()) {
                return;
            }
        } while (!connection.taken().arm(OffloadStream.READ, onReady));
    }

    /** Reads ahead; returns whether there is nothing more to wait for. */
    private boolean taken() {
        if (!take()) {
            return false;
        }
        if (connection.handover.limitKnown()) {
            connection.moveOutNow();
            connection.onLimitKnown();
        }
        return true;
    }

    /**
     * Reads the bytes of the limit that have come. Called once there is a stream.
     *
     * @return whether the limit is known, or will never come
     */
    boolean take() {
        boolean known;
        synchronized (this) {
            if (connection.handover.limitKnown()) {
                return true;
            }
            int n = connection.taken().readAhead(bytes, have, bytes.length - have);
            have += Math.max(n, 0);
            if (n >= 0 && have < bytes.length) {
                return false;
            }
            known = n >= 0 && connection.handover.limit(bytes);
        }
        connection.onLimit(known);
        return true;
    }
}
