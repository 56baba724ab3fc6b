package io.sdp4j.offload;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * An attempt that blocks its caller no longer than its time allows. The first attempts of a JVM
 * load classes and open devices, which cannot be interrupted and may take longer than the caller's
 * time-out. So they run on another thread, which finishes them.
 *
 * <p>A caller that has given up goes on to the kernel with the same socket: from then on the
 * attempt must not touch the socket, and a connection that it still makes is cut. {@code this}
 * guards the fields.
 */
final class BoundedAttempt implements Runnable {
    /** How long a caller may go on waiting after its socket was closed. */
    private static final long LOOK_MILLIS = 5;

    private final OffloadProvider provider;
    private final ConnectSpec spec;
    private OffloadStream stream;
    private Throwable failure;
    private boolean over;
    private volatile boolean givenUp; // set under this

    private BoundedAttempt(OffloadProvider provider, ConnectSpec spec) {
        this.provider = provider;
        this.spec = spec;
    }

    /**
     * Connects as {@link OffloadProvider#connect} does, but returns null if that is not over at the
     * limit of {@code spec}.
     */
    static OffloadStream connect(OffloadProvider provider, ConnectSpec spec)
            throws OffloadUnavailable {
        BoundedAttempt attempt = new BoundedAttempt(provider, spec);
        if (!ConnectThreads.start(attempt)) {
            throw OffloadConnects.noThread();
        }
        return attempt.await();
    }

    @Override
    public void run() {
        OffloadStream won = null;
        Throwable thrown = null;
        try {
            ConnectSpec.LocalAddress local =
                    ConnectSpec.LocalAddress.of(spec.localAddress().bound(), this::localAddress);
            won = provider.connect(spec.onBehalf(local, this::unwanted));
        } catch (OffloadUnavailable | RuntimeException | Error e) {
            thrown = e;
        }
        synchronized (this) {
            over = true;
            failure = thrown;
            if (!givenUp) {
                stream = won;
                won = null;
            }
            notifyAll();
        }
        if (won != null) {
            won.close(true);
        }
    }

    private synchronized InetSocketAddress localAddress(InetAddress source) throws IOException {
        if (givenUp) {
            throw new IOException("the connect goes on without offload");
        }
        return spec.localAddress().find(source);
    }

    private boolean unwanted() {
        return givenUp || spec.abandoned().getAsBoolean();
    }

    private OffloadStream await() throws OffloadUnavailable {
        boolean interrupted = false;
        try {
            synchronized (this) {
                while (!over) {
                    if (late(interrupted)) {
                        givenUp = true;
                        return null;
                    }
                    try {
                        wait(LOOK_MILLIS);
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
                return outcome();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * @param interrupted whether the caller was interrupted; this ends the connect of a virtual
     *     thread, but {@code spec} cannot see it, as the wait has cleared the flag
     */
    private boolean late(boolean interrupted) throws OffloadUnavailable {
        if ((interrupted && Thread.currentThread().isVirtual())
                || spec.abandoned().getAsBoolean()) {
            givenUp = true;
            throw new OffloadUnavailable(ReasonCode.ABANDONED, "the caller gave the connection up");
        }
        return spec.limitNanos() - System.nanoTime() <= 0;
    }

    private OffloadStream outcome() throws OffloadUnavailable {
        switch (failure) {
            case null -> {
                return stream;
            }
            case OffloadUnavailable e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new AssertionError(failure);
        }
    }
}
