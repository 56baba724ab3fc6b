package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.QpSpec;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One request to connect, from the event that tells of it to its outcome.
 *
 * <p>The kernel does not report a client that gives up in the meantime: the id only fails when it
 * is used. So accepting has a time limit.
 *
 * <p>On InfiniBand and RoCE the datagram that ends the hand-shake, the RTU, may be lost, and the
 * kernel asks for it again only after four seconds. By then the client may have sent bytes, which
 * the device has acknowledged, and be gone. So the client's first message, and the end of the
 * connection, count as the RTU (docs/protocol.md 3.1).
 */
final class VerbsPassiveSide implements ConnectionRequest, CmChannel.Target {
    /**
     * Looks of the listener, one every {@link VerbsListener#LOOK_NANOS}, that the outcome may take.
     */
    private static final int PATIENCE = 20;

    private final VerbsFabric fabric;
    private final CmChannel channel;
    private final VerbsListener listener;
    private final CmEvent event;
    private final long id;
    private final Trailer trailer;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final AtomicBoolean answered = new AtomicBoolean();

    /** Used by the event thread, as everything about the outcome. */
    private volatile VerbsQueuePair qp;

    private Outcome outcome;
    private int looks;
    private boolean told;

    /** The client, one of ours, sends first. */
    private boolean greeted;

    VerbsPassiveSide(VerbsFabric fabric, CmChannel channel, VerbsListener listener, CmEvent event) {
        this.fabric = fabric;
        this.channel = channel;
        this.listener = listener;
        this.event = event;
        id = event.id();
        channel.retarget(id, this);
        trailer = Trailer.of(event.privateData(), Trailer.REQUEST_BYTES);
        local = listener.address(RdmaCmId.source(id).getAddress());
        InetSocketAddress from = RdmaCmId.destination(id);
        remote =
                trailer == null || trailer.port() == 0
                        ? from
                        : new InetSocketAddress(from.getAddress(), trailer.port());
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public byte[] privateData() {
        return Trailer.data(event.privateData(), Trailer.REQUEST_BYTES);
    }

    @Override
    public void accept(QpSpec spec, byte[] privateData, Outcome to) {
        if (!answered.compareAndSet(false, true)) {
            // the listener was closed in between and has rejected the request
            channel.loop.execute(
                    () ->
                            to.onFailed(
                                    new FabricException(Cause.CLOSED, "the listener was closed")));
            return;
        }
        byte[] reply = new Trailer(spec.receiveBytes(), 0).append(privateData, Trailer.REPLY_BYTES);
        channel.loop.runInLoop(() -> answer(spec, reply, to)); // at once: the client waits
    }

    private void answer(QpSpec spec, byte[] reply, Outcome to) {
        outcome = to;
        try (Arena arena = Arena.ofConfined()) {
            VerbsDevice device = fabric.device(RdmaCmId.verbs(id));
            greeted = trailer != null && device.initiatorSpeaksFirst();
            qp = new VerbsQueuePair(fabric, channel, device, id, spec, greeted);
            qp.reserve(trailer);
            int served = fewer(device.readsServed, event.readsServed());
            int started = fewer(device.readsStarted, event.readsStarted());
            VerbsFailures.check(
                    "the connection cannot be accepted",
                    channel.cm.accept(id, RdmaConnParam.of(arena, reply, served, started)));
        } catch (FabricException e) {
            refuse(e);
        } catch (OutOfMemoryError e) {
            refuse(
                    new FabricException(
                            Cause.RESOURCES, "the connection cannot be accepted: " + e, e));
        }
    }

    private void refuse(FabricException why) {
        channel.cm.reject(id, VerbsFailures.refusal(why)); // has no effect if accept has failed
        channel.loop.execute(() -> fail(why));
    }

    private static int fewer(int own, int asked) {
        return asked == 0 ? own : Math.min(own, asked);
    }

    @Override
    public void onCmEvent(CmEvent e) {
        if (e.type() == RdmaCmEvent.ESTABLISHED && qp != null && !told) {
            qp.establish(trailer);
            if (greeted) {
                qp.completions().onGreeting(this::established);
            } else {
                established();
            }
        } else if (!told && outcome != null && e.type() != RdmaCmEvent.ESTABLISHED) {
            onEnd(e);
        }
    }

    /**
     * Handles the end of the connection. A client that ends at once may have sent something before,
     * which must still be received.
     */
    private void onEnd(CmEvent e) {
        if (greeted && qp != null) {
            qp.completions().lookForGreeting();
        } else if (e.type() == RdmaCmEvent.DISCONNECTED && startsWithoutGreeting()) {
            qp.establish(trailer);
            established();
        }
        if (told) {
            qp.onCmEvent(e);
        } else {
            fail(VerbsFailures.of(e, e.privateData()));
        }
    }

    /** Whether the client may send as soon as it has our answer. */
    private boolean startsWithoutGreeting() {
        return qp != null && !qp.device.initiatorSpeaksFirst();
    }

    private void established() {
        if (!told) {
            channel.retarget(id, qp); // first: if it fails, the listener's look ends this side
            told = true;
            listener.forget(this);
            outcome.onEstablished(qp);
        }
    }

    /** Called at each look of the listener. Event thread. */
    void onLook() {
        if (outcome == null) {
            return;
        }
        if (looks++ >= PATIENCE) {
            fail(new FabricException(Cause.TIMED_OUT, "the client did not answer"));
        } else if (startsWithoutGreeting() && qp.completions().ready()) {
            channel.cm.notifyEstablished(id); // has no effect if the RTU has come
        }
    }

    private void fail(FabricException why) {
        if (told) {
            return;
        }
        told = true;
        listener.forget(this);
        try {
            if (qp != null) {
                qp.whenAnswered(qp::discard);
            } else {
                channel.destroyId(id);
                fabric.onIdGone();
            }
        } finally {
            outcome.onFailed(why);
        }
    }

    /** Rejects the request. Does nothing if it was answered. */
    @Override
    public void reject(byte[] privateData) {
        if (answered.compareAndSet(false, true)) {
            byte[] data =
                    Arrays.copyOf(privateData, Math.min(privateData.length, Trailer.REFUSAL_BYTES));
            channel.loop.execute(
                    () -> {
                        channel.cm.reject(id, data);
                        listener.forget(this);
                        channel.destroyId(id);
                        fabric.onIdGone();
                    });
        }
    }
}
