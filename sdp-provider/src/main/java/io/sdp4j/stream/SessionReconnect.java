package io.sdp4j.stream;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Resumes a suspended session: connects to the peer's new port until that succeeds or the time is
 * over. An attempt begins only if there is room for one more connection: the reader may be behind.
 *
 * <p>Shape: one attempt at a time, each on a thread of {@link SetupThreads}, because a fabric may
 * block; between two of them no thread is occupied. The new owner listens before the session is
 * suspended (docs/protocol.md 10), so the first attempt is the one that counts; others are for an
 * owner that is late.
 */
final class SessionReconnect {
    private static final long ATTEMPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Pause between two attempts, of either side, to go on. */
    static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final StreamLife stream;
    private final StreamContext context;
    private final Fabric fabric;
    private final InetSocketAddress local;
    private final InetSocketAddress to;
    private final long endNanos;
    private EventLoop.Timer limit; // this
    private String last = "no answer"; // this

    /**
     * @param local this side's address, which stays
     * @param to where the new owner listens
     */
    SessionReconnect(
            StreamLife stream,
            StreamContext context,
            Fabric fabric,
            InetSocketAddress local,
            InetSocketAddress to) {
        this.stream = stream;
        this.context = context;
        this.fabric = fabric;
        this.local = local;
        this.to = to;
        this.endNanos = System.nanoTime() + context.settings().resumeNanos();
    }

    /** Returns at once; under the stream's lock. */
    synchronized void begin() {
        assert Thread.holdsLock(stream.core);
        limit = context.loop().schedule(this::onLimit, context.settings().resumeNanos());
        context.setup().later(this::attempt);
    }

    private void attempt() {
        long now = System.nanoTime();
        if (endNanos - now <= 0 || !stream.suspended()) {
            return; // the limit says what is to be said
        }
        if (!stream.makeRoom()) {
            again("what came before has not been read yet");
            return;
        }
        long deadlineNanos = now + Math.min(endNanos - now, ATTEMPT_NANOS);
        try {
            Established open =
                    ActiveOpen.connect(
                            fabric,
                            context,
                            new ConnectSpec(
                                    to,
                                    _ -> local,
                                    List.of(),
                                    deadlineNanos,
                                    true,
                                    () -> !stream.suspended()));
            synchronized (this) {
                limit.cancel();
            }
            stream.resume(open);
        } catch (OffloadUnavailable e) {
            again(e.getMessage());
        }
    }

    private void again(String why) {
        synchronized (this) {
            last = why;
        }
        context.loop().schedule(() -> context.setup().later(this::attempt), PAUSE_NANOS);
    }

    private void onLimit() {
        String why;
        synchronized (this) {
            why = last;
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(context.settings().resumeNanos());
        stream.giveUpResume("not resumed at " + to + " within " + seconds + " s: " + why);
    }
}
