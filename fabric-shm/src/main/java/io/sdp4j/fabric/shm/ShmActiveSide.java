package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.StrangeFd;
import io.sdp4j.linux.TcpSocketFd;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * One attempt to connect, made on the thread that wants the connection.
 *
 * <p>A failure leaves nothing behind: the socket is closed, which the passive side sees, and the
 * memory is unmapped. The passive side takes the connection for established only when it is told
 * that this side has mapped the memory, so an attempt that was given up never appears as a
 * connection there. There is one exception, a spare transport, whose memory is mapped already. If
 * such an attempt is given up, or its process dies, while the answer is on its way, the passive
 * side sees a connection that ends at once, as it may with TCP.
 */
final class ShmActiveSide {
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ShmFabric fabric;
    private final ConnectRequest request;
    private final ListenerProof proof;

    /** The way to the listener; with it, after a hand-shake or before one, the memory. */
    private PeerSocket link;

    private ShmTransport transport;
    private ShmQueuePair queuePair;
    private byte[] hello;

    /** Until when the peer has to answer; extended by the time that this side used for itself. */
    private long deadlineNanos;

    /** The peer may take the connection for established; guarded by {@code this}. */
    private boolean answered;

    ShmActiveSide(ShmFabric fabric, ConnectRequest request) {
        this.fabric = fabric;
        this.request = request;
        proof = new ListenerProof(fabric, request);
        deadlineNanos = request.deadlineNanos();
    }

    Fabric.Connection connect() throws FabricException {
        if (request.privateData().length > ShmHandshake.MAX_PRIVATE_BYTES) {
            throw new IllegalArgumentException(
                    "private data of " + request.privateData().length + " bytes");
        }
        boolean complete = false;
        try {
            ShmHandshake.Reply reply = null;
            if (takeSpare()) {
                reply = ask();
            }
            if (reply == null) {
                // there is no spare transport, or its peer has left the transport or the port
                release();
                find();
                reply = ask();
            }
            if (reply == null) {
                throw new FabricException(
                        Cause.REFUSED, "the listener closed the connection unanswered");
            }
            requireAccepted(reply);
            if (proof.moves()) {
                proof.requireOtherEnd(link);
            }
            establish(reply);
            complete = true;
            return new Fabric.Connection(queuePair, reply.privateData());
        } catch (FabricException e) {
            throw e;
        } catch (EOFException e) {
            throw new FabricException(
                    Cause.NO_LISTENER,
                    "the listener left during the hand-shake: " + e.getMessage(),
                    e);
        } catch (IOException e) {
            throw new FabricException(
                    Cause.RESOURCES, "the hand-shake failed: " + e.getMessage(), e);
        } finally {
            proof.close();
            if (!complete) {
                release();
            }
        }
    }

    private synchronized void release() {
        if (queuePair != null) {
            queuePair.close();
        } else if (transport != null) {
            transport.close();
        } else if (link != null) {
            link.close();
        }
        queuePair = null;
        transport = null;
        link = null;
        answered = false; // it was a refusal
    }

    /**
     * Takes a transport that carried a connection to the same address. Returns whether there was
     * one.
     */
    private boolean takeSpare() {
        transport = fabric.pool.take(request.remote());
        if (transport != null) {
            link = transport.link();
        }
        return transport != null;
    }

    private void find() throws FabricException {
        Rendezvous rendezvous = fabric.rendezvous;
        InetSocketAddress remote = request.remote();
        String exact = rendezvous.exactName(remote);
        String any = rendezvous.anyName(remote);
        // not a lambda: one that captures these values loads four classes
        Rendezvous.Visit visit =
                new Rendezvous.Visit() {
                    @Override
                    public boolean visit(PrivateDirectory dir) throws FabricException {
                        return reach(dir, exact) || reach(dir, any);
                    }
                };
        if (!rendezvous.search(visit)) {
            throw proof.notFound();
        }
    }

    private boolean reach(PrivateDirectory in, String listener) throws FabricException {
        link = connect(in, listener);
        return link != null;
    }

    private PeerSocket connect(PrivateDirectory in, String listener) throws FabricException {
        Path at = in.address(listener);
        for (; ; ) {
            try {
                return fabric.sockets.connect(at, () -> Rendezvous.removeIfDead(in, listener));
            } catch (FabricException e) {
                if (e.why() != Cause.BUSY || left() <= BUSY_NANOS) {
                    throw e;
                }
                requireWanted();
                LockSupport.parkNanos(BUSY_NANOS);
            }
        }
    }

    /**
     * Sends the Hello and returns the listener's answer; null if the listener hung up, or the peer
     * of a spare transport must not be asked.
     */
    private ShmHandshake.Reply ask() throws IOException {
        FabricException refusal = proof.refusal(link);
        if (refusal != null) {
            if (transport != null) {
                return null;
            }
            throw refusal;
        }
        if (StrangeFd.behind()) {
            throw new FabricException(Cause.RESOURCES, ShmPassiveSide.BEHIND);
        }
        if (hello == null) {
            hello = hello();
        }
        try {
            asking(); // first: the peer may accept before this thread runs again
            link.send(hello, ShmHandshake.MESSAGE_BYTES, proof.shown());
            return reply();
        } catch (FabricException e) {
            throw e;
        } catch (IOException e) {
            if (transport != null) {
                return null;
            }
            throw e;
        }
    }

    private void asking() {
        long own = System.nanoTime() - request.askedNanos();
        deadlineNanos = Math.min(request.limitNanos(), request.deadlineNanos() + own);
        request.asked().accept(this::mayBeEstablished);
    }

    /**
     * Whether the peer may take the connection for established. On a spare transport it does so
     * once it has answered. Any thread.
     */
    private synchronized boolean mayBeEstablished() {
        return answered || (transport != null && queuePair == null && link.readable());
    }

    private synchronized void answered() {
        answered = true;
    }

    private byte[] hello() throws FabricException {
        proof.show();
        return new ShmHandshake.Hello(
                        ShmHandshake.VERSION,
                        request.spec(),
                        request.remote(),
                        proof.own(),
                        proof.moves(),
                        request.privateData())
                .encode();
    }

    private ShmHandshake.Reply reply() throws IOException {
        byte[] bytes = new byte[ShmHandshake.MESSAGE_BYTES];
        int have = 0;
        long busyUntil = System.nanoTime() + fabric.patienceNanos();
        while (have < bytes.length) {
            int n = receive(bytes, have);
            if (n < 0) {
                return null;
            }
            have += n;
            if (n == 0 && System.nanoTime() - busyUntil < 0) {
                Thread.onSpinWait();
            } else if (n == 0) {
                long left = left();
                if (left <= 0) {
                    throw timedOut();
                }
                requireWanted();
                link.awaitReadable(Math.min(left, ConnectRequest.ABANDON_CHECK_NANOS));
            }
        }
        ShmHandshake.Reply reply = ShmHandshake.Reply.parse(bytes);
        if (reply == null) {
            throw new FabricException(Cause.PROTOCOL, "the listener's answer makes no sense");
        }
        return reply;
    }

    /**
     * Receives bytes and notes them in one step, because bytes that were taken do not show in the
     * link any more.
     */
    private synchronized int receive(byte[] into, int have) throws IOException {
        int n = link.receive(into, have, into.length - have);
        answered |= n > 0 && transport != null;
        return n;
    }

    private void requireAccepted(ShmHandshake.Reply reply) throws FabricException {
        switch (reply.status()) {
            case ShmHandshake.ACCEPTED, ShmHandshake.ACCEPTED_AGAIN -> {
                // as it should be
            }
            case ShmHandshake.REJECTED ->
                    throw new FabricException(
                            proof.ended() ? Cause.ABANDONED : Cause.REFUSED,
                            "the listener refused",
                            reply.privateData(),
                            null);
            case ShmHandshake.NOT_ACCEPTED ->
                    throw new FabricException(
                            Cause.NOT_ACCEPTED,
                            "the listener's application has not accepted the connection, or has"
                                    + " closed it");
            case ShmHandshake.OTHER_VERSION ->
                    throw new FabricException(
                            Cause.VERSION,
                            "the listener speaks version "
                                    + reply.version()
                                    + ", we "
                                    + ShmHandshake.VERSION);
            case ShmHandshake.NO_MEMORY ->
                    throw new FabricException(
                            Cause.RESOURCES,
                            "the listener lacks memory or descriptors for a connection");
            case ShmHandshake.TOO_MUCH ->
                    throw new FabricException(
                            Cause.BUFFERS,
                            "the listener allows fewer buffers than " + buffers(request.spec()));
            default ->
                    throw new FabricException(
                            Cause.PROTOCOL, "the listener answered " + reply.status());
        }
    }

    private void establish(ShmHandshake.Reply reply) throws IOException {
        ShmLayout layout = layout(reply);
        boolean again = reply.status() == ShmHandshake.ACCEPTED_AGAIN;
        if (again != (transport != null) || (again && !layout.sameAs(transport.layout()))) {
            throw new FabricException(Cause.PROTOCOL, "the listener describes other memory");
        }
        if (transport == null) {
            transport = map(layout);
        }
        queuePair = fabric.queuePair(0, transport, keeper(fabric, request.remote()));
        if (!again && request.limitNanos() - System.nanoTime() <= 0) {
            throw timedOut();
        }
        link.watch(queuePair.liveness);
        if (!again) {
            answered();
            link.send(ShmHandshake.ready(), ShmHandshake.READY_BYTES, -1);
        }
        fabric.established(queuePair);
    }

    /**
     * Static, because objects that live as long as the connection must not refer to this attempt or
     * its caller.
     */
    private static Predicate<ShmTransport> keeper(ShmFabric fabric, InetSocketAddress remote) {
        return c -> fabric.pool.keep(remote, c);
    }

    private ShmLayout layout(ShmHandshake.Reply reply) throws FabricException {
        if (ShmLayout.wishes(reply.spec()) > ShmLayout.mostWishes(request.spec())) {
            throw new FabricException(
                    Cause.BUFFERS,
                    "the listener wants "
                            + buffers(reply.spec())
                            + ", which is more than this end allows");
        }
        ShmLayout layout = ShmFabric.layout(request.spec(), reply.spec());
        if (layout.totalBytes != reply.segmentBytes()) {
            throw new FabricException(
                    Cause.PROTOCOL,
                    "the listener's memory has "
                            + reply.segmentBytes()
                            + " bytes, not "
                            + layout.totalBytes);
        }
        return layout;
    }

    private static String buffers(QpSpec spec) {
        return spec.receiveSlots() + " buffers of " + spec.receiveBytes() + " bytes";
    }

    private ShmTransport map(ShmLayout layout) throws FabricException {
        fabric.reserve(layout.bookedBytes());
        Segment segment = null;
        ShmTransport made = null;
        int fd = link.takeDescriptor();
        try {
            segment = Segment.mapReceived(fd, layout.totalBytes);
            made = new ShmTransport(fabric, link, segment, layout);
        } finally {
            if (segment != null) {
                Linux.close(fd);
            } else if (fd >= 0) {
                TcpSocketFd.closeStrange(fd);
            }
            if (made == null) {
                if (segment != null) {
                    segment.release();
                }
                fabric.release(layout.bookedBytes());
            }
        }
        return made;
    }

    private void requireWanted() throws FabricException {
        if (request.abandoned().getAsBoolean()) {
            throw new FabricException(Cause.ABANDONED, "the caller gave the connection up");
        }
    }

    private long left() {
        return deadlineNanos - System.nanoTime();
    }

    private static FabricException timedOut() {
        return new FabricException(Cause.TIMED_OUT, "no answer in time");
    }
}
