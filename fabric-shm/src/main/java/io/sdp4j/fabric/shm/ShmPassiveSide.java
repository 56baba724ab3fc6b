package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.StrangeFd;
import io.sdp4j.linux.TcpSocketFd;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The passive half of one hand-shake, and the request that it gives the listener's handler.
 *
 * <p>States: HELLO (a client has three seconds to send its Hello, more than it needs where
 * processors are scarce), ASKED (the handler decides), ANSWERED (the client maps the memory), DONE.
 * The time for mapping is long: a client that gives up closes its socket, which ends this object at
 * once, so only a client that hangs needs the limit, and a client that is merely slow must not be
 * cut after it has gone ahead.
 *
 * <p>Everything runs on the event thread; any thread may call {@link #accept} and {@link #reject},
 * which continue there.
 */
final class ShmPassiveSide implements PeerSocket.Handler, ConnectionRequest {
    private static final long HELLO_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long MAPPING_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** No descriptors are taken now, nor sent; a client that was answered has sent its own. */
    static final String BEHIND = "too many descriptors of others wait to be closed";

    private static final String LEFT = "the client left";
    private static final String FAILED = "a hand-shake failed: ";
    private static final byte[] NO_DATA = {};

    private enum State {
        HELLO,
        ASKED,
        ANSWERED,
        DONE
    }

    private final ShmFabric fabric;
    private final ShmListener listener;
    private final PeerSocket link;
    private final PassiveAnswer answer;

    /** The hand-shake runs on a transport that has carried a connection. */
    final boolean again;

    /** The listener counts this side as resting. */
    private boolean rests;

    private final HandshakeReader reader;
    private final AtomicBoolean decided = new AtomicBoolean();

    // made before they are needed: there may be no memory then
    private final FabricException gone = new FabricException(Cause.CLOSED, LEFT);
    private final FabricException scarce =
            new FabricException(Cause.RESOURCES, FAILED + "there was no memory");

    private State state = State.HELLO;
    private ShmHandshake.Hello hello;
    private EventLoop.Timer timer;
    private boolean left;
    private Outcome outcome;

    /**
     * @param transport a transport that has carried a connection over {@code link}; or null
     */
    ShmPassiveSide(
            ShmFabric fabric, ShmListener listener, PeerSocket link, ShmTransport transport) {
        this.fabric = fabric;
        this.listener = listener;
        this.link = link;
        again = transport != null;
        rests = again;
        reader = new HandshakeReader(link);
        answer = new PassiveAnswer(fabric, listener, link, transport);
    }

    void start() {
        try {
            timer = fabric.loop.schedule(silence(), HELLO_NANOS);
            link.watch(this);
            if (again) {
                link.send(new byte[] {ShmTransport.FREE}, 1, -1);
            } else {
                link.expect(fabric.patienceNanos());
            }
            onReadable(); // the client may have been quicker than the watch
        } catch (IOException e) {
            end(null);
        } catch (RuntimeException | Error e) {
            if (state == State.HELLO) {
                end(null); // otherwise it has got further, and ends in the usual way
            }
            listener.onShort(FAILED + e);
        }
    }

    private EventLoop.Repeatable silence() {
        return this::onSilence;
    }

    /**
     * The time for the client's message is over. Looks first: timers run before handlers, and this
     * thread may have been stopped while the message came.
     */
    void onSilence() {
        State was = state;
        onReadable();
        if (state != was) {
            return;
        }
        if (state == State.ANSWERED) {
            end(new FabricException(Cause.TIMED_OUT, "the client did not map the memory"));
        } else if (state == State.HELLO) {
            if (!again) {
                listener.onRefused(link, "it says nothing, or half of it");
            }
            end(null);
        }
    }

    /** Ends this side if it only waits for another connection on an old transport. */
    void dropIfResting() {
        if (state == State.HELLO && again) {
            end(null);
        }
    }

    @Override
    public void onReadable() {
        try {
            switch (state) {
                case HELLO -> {
                    if (StrangeFd.behind()) {
                        throw new IOException(BEHIND);
                    }
                    if (read(ShmHandshake.MESSAGE_BYTES)) {
                        onHello();
                    }
                }
                case ANSWERED -> {
                    if (read(ShmHandshake.READY_BYTES)) {
                        onReady();
                    }
                }
                case ASKED -> {
                    if (!link.drain()) {
                        onHangup();
                    }
                }
                case DONE -> {
                    // nothing more is wanted
                }
            }
        } catch (IOException e) {
            end(new FabricException(Cause.CLOSED, LEFT + ": " + e.getMessage(), e));
        }
    }

    /** Whether {@code lenBytes} are there now. */
    private boolean read(int lenBytes) throws IOException {
        HandshakeReader.Progress progress = reader.read(lenBytes, again && state == State.HELLO);
        if (progress == HandshakeReader.Progress.ENDED) {
            onHangup();
        } else if (progress == HandshakeReader.Progress.TOO_MANY) {
            end(null);
        }
        return progress == HandshakeReader.Progress.COMPLETE;
    }

    private void onHello() {
        timer.cancel();
        rouse();
        int shown = link.takeDescriptor();
        try {
            judge(shown);
        } finally {
            if (shown >= 0) {
                TcpSocketFd.closeStrange(shown);
            }
        }
    }

    private void rouse() {
        if (rests) {
            rests = false;
            listener.roused();
        }
    }

    /**
     * @param shown what came with the Hello, or -1
     */
    private void judge(int shown) {
        hello = ShmHandshake.Hello.parse(reader.buffer);
        String nonsense = nonsense();
        if (again && listener.closed) {
            end(null); // no answer on an old transport: the client looks for a listener
        } else if (nonsense != null) {
            listener.onRefused(link, nonsense);
            if (hello == null) {
                end(null);
            } else {
                boolean other = hello.version() != ShmHandshake.VERSION;
                refuse(other ? ShmHandshake.OTHER_VERSION : ShmHandshake.REJECTED, null);
            }
        } else if (listener.closed) {
            refuse(ShmHandshake.REJECTED, null);
        } else if (ShmFabric.scarce(link.descriptor()) != null) {
            listener.onShort(ShmFabric.scarce(link.descriptor()));
            refuse(ShmHandshake.NO_MEMORY, null);
        } else {
            int mine = -1;
            if (hello.moves()) {
                mine = listener.acceptedSocket(hello.wanted(), hello.own());
                if (mine < 0) {
                    refuse(ShmHandshake.NOT_ACCEPTED, null);
                    return;
                }
                answer.showEnd(mine);
            }
            String fault = fault(shown, mine);
            if (fault != null) {
                if (mine < 0 || !fabric.proof.ended(mine, shown, hello.wanted(), hello.own())) {
                    listener.onRefused(link, fault);
                }
                refuse(ShmHandshake.REJECTED, null);
                return;
            }
            state = State.ASKED;
            ask();
        }
    }

    private void ask() {
        try {
            listener.onRequest(this);
        } catch (RuntimeException | Error e) {
            if (state != State.ASKED) {
                throw e;
            }
            refuse(ShmHandshake.NO_MEMORY, null); // no answer would ever come
            listener.onShort(FAILED + e);
        }
    }

    /** Returns the fault of a Hello that no client of this listener would send, or null. */
    private String nonsense() {
        if (hello == null) {
            return "its Hello makes no sense";
        }
        if (hello.version() != ShmHandshake.VERSION) {
            return "it speaks version " + hello.version() + ", not " + ShmHandshake.VERSION;
        }
        return listener.covers(hello.wanted())
                ? null
                : "it wants " + hello.wanted() + ", which no listener here serves";
    }

    /**
     * Returns why the client's proof is refused, or null if it is not.
     *
     * @param shown the descriptor that came with the Hello, or -1
     * @param mine the accepted socket of a connection that moves, or -1
     */
    private String fault(int shown, int mine) {
        return hello.moves()
                ? fabric.proof.refuseEnd(mine, shown, hello.wanted(), hello.own())
                : fabric.proof.refuseClient(shown, hello.own(), hello.wanted());
    }

    private void refuse(int status, FabricException why) {
        refuse(status, NO_DATA, why);
    }

    private void refuse(int status, byte[] privateData, FabricException why) {
        try {
            answer.refuse(status, privateData);
        } finally {
            end(why);
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return hello.wanted();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return hello.own();
    }

    @Override
    public String peer() {
        return link.peerName();
    }

    @Override
    public boolean moves() {
        return hello.moves();
    }

    @Override
    public byte[] privateData() {
        return hello.privateData().clone();
    }

    @Override
    public void accept(QpSpec spec, byte[] privateData, Outcome told) {
        if (privateData.length > ShmHandshake.MAX_PRIVATE_BYTES) {
            throw new IllegalArgumentException("private data of " + privateData.length + " bytes");
        }
        decide();
        byte[] data = privateData.clone();
        fabric.loop.runInLoop(
                () -> {
                    outcome = told;
                    if (left || state != State.ASKED) {
                        end(gone);
                    } else {
                        grant(spec, data);
                    }
                });
    }

    @Override
    public void reject(byte[] privateData) {
        decide();
        byte[] data = privateData.clone();
        fabric.loop.runInLoop(
                () -> {
                    if (state == State.ASKED) {
                        refuse(ShmHandshake.REJECTED, data, null);
                    }
                });
    }

    private void decide() {
        if (!decided.compareAndSet(false, true)) {
            throw new IllegalStateException("the request was answered already");
        }
    }

    private FabricException tooMuch() {
        return new FabricException(
                Cause.BUFFERS, "it wants more buffers than allowed: " + hello.spec());
    }

    private void grant(QpSpec spec, byte[] privateData) {
        try {
            if (ShmLayout.wishes(hello.spec()) > ShmLayout.mostWishes(spec)) {
                refuse(ShmHandshake.TOO_MUCH, tooMuch());
            } else {
                answerYes(spec, privateData);
            }
        } catch (FabricException e) {
            end(e);
        } catch (IOException e) {
            end(new FabricException(Cause.CLOSED, LEFT, e));
        } catch (RuntimeException | Error e) {
            if (state != State.ASKED) {
                throw e;
            }
            FabricException why = scarce;
            try {
                why = new FabricException(Cause.RESOURCES, FAILED + e, e);
            } finally {
                refuse(ShmHandshake.NO_MEMORY, why);
            }
        }
    }

    private void answerYes(QpSpec spec, byte[] privateData) throws IOException {
        if (!again) { // first: a failure after the answer cannot be reported to the client
            timer = fabric.loop.schedule(silence(), MAPPING_NANOS);
        }
        answer.grant(hello, spec, privateData);
        if (again) {
            established();
            return;
        }
        state = State.ANSWERED;
        link.expect(fabric.patienceNanos());
    }

    private void onReady() throws IOException {
        if (!ShmHandshake.isReady(reader.buffer)) {
            end(new FabricException(Cause.PROTOCOL, "the client's last word makes no sense"));
            return;
        }
        link.expect(0);
        timer.cancel();
        established();
    }

    private void established() throws IOException {
        state = State.DONE;
        ShmQueuePair qp = answer.handOver();
        try {
            listener.forget(this);
            link.watch(qp.liveness);
            fabric.established(qp);
        } catch (RuntimeException | Error e) {
            try {
                qp.close();
            } finally {
                outcome.onLost(e);
            }
            throw e;
        }
        outcome.onEstablished(qp);
        // a wake-up byte or the end may have come together with the last message
        qp.liveness.onReadable();
    }

    @Override
    public void onHangup() {
        left = true;
        if (state == State.HELLO) {
            end(null);
        } else if (state == State.ANSWERED) {
            end(new FabricException(Cause.CLOSED, LEFT));
        }
    }

    /** Rejects a request that was not answered; one that was accepted goes on. */
    void listenerClosed() {
        fabric.loop.runInLoop(
                () -> {
                    if (state == State.HELLO) {
                        end(null);
                    } else if (state == State.ASKED && decided.compareAndSet(false, true)) {
                        refuse(ShmHandshake.REJECTED, null);
                    }
                });
    }

    /** Ends without a connection: releases everything and tells {@link #outcome}. */
    private void end(FabricException why) {
        boolean first = state != State.DONE;
        rouse();
        state = State.DONE;
        try {
            if (first) {
                release();
            }
        } finally {
            Outcome told = outcome;
            if (told != null && why != null) {
                outcome = null;
                told.onFailed(why);
            }
        }
    }

    private void release() {
        if (timer != null) {
            timer.cancel();
        }
        try {
            answer.takeBack();
        } finally {
            listener.forget(this);
        }
    }
}
