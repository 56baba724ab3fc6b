package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.TcpSocketFd;
import java.io.IOException;

/**
 * The answer of the passive side of a hand-shake: makes and sends a grant or a refusal. A grant is
 * new memory for both sides with a queue pair on it, or the memory of a transport that carried an
 * earlier connection.
 *
 * <p>Owns the memory and the queue pair until {@link #handOver}. Event thread only.
 */
final class PassiveAnswer {
    private final ShmFabric fabric;
    private final ShmListener listener;
    private final PeerSocket link;
    private ShmTransport transport;
    private ShmQueuePair queuePair;

    /** New memory while there is no transport yet. */
    private Segment segment;

    private long bookedBytes;
    private int fd = -1;

    /** This side's end of the TCP connection that moves, or -1. */
    private int end = -1;

    /**
     * @param transport a transport that has carried a connection, or null
     */
    PassiveAnswer(ShmFabric fabric, ShmListener listener, PeerSocket link, ShmTransport transport) {
        this.fabric = fabric;
        this.listener = listener;
        this.link = link;
        this.transport = transport;
    }

    /** Takes this side's end of the TCP connection that moves, which the answer passes along. */
    void showEnd(int socket) {
        end = socket;
    }

    private void forgetEnd() {
        if (end >= 0) {
            TcpSocketFd.closeShared(end);
            end = -1;
        }
    }

    /** Says no. */
    void refuse(int status, byte[] privateData) {
        byte[] no = ShmHandshake.Reply.refusal(status, privateData).encode();
        try {
            link.send(no, ShmHandshake.MESSAGE_BYTES, -1);
        } catch (IOException e) {
            // it has left: the socket shows it
        }
    }

    /** Makes the queue pair and sends the grant with the negotiated values. */
    void grant(ShmHandshake.Hello hello, QpSpec spec, byte[] privateData) throws IOException {
        ShmLayout layout = ShmFabric.layout(hello.spec(), spec);
        if (transport != null) {
            grantAgain(layout, spec, privateData);
        } else {
            grantMemory(layout, spec, privateData);
        }
    }

    /**
     * Grants the memory of the earlier connection. Nothing that the client does next can fail, so
     * the client sends no answer; a client that has left is noticed here.
     */
    private void grantAgain(ShmLayout layout, QpSpec spec, byte[] privateData) throws IOException {
        if (!layout.sameAs(transport.layout())) {
            throw new FabricException(Cause.PROTOCOL, "another shape on the same memory");
        }
        if (!link.drain()) {
            throw new FabricException(Cause.CLOSED, "the client left");
        }
        queuePair = fabric.queuePair(1, transport, listener::rest);
        reply(ShmHandshake.ACCEPTED_AGAIN, layout, spec, privateData);
    }

    private void grantMemory(ShmLayout layout, QpSpec spec, byte[] privateData) throws IOException {
        try {
            makeMemory(layout);
            transport = new ShmTransport(fabric, link, segment, layout);
            queuePair = fabric.queuePair(1, transport, listener::rest);
            reply(ShmHandshake.ACCEPTED, layout, spec, privateData);
        } catch (FabricException e) {
            refuse(ShmHandshake.NO_MEMORY, new byte[0]);
            throw e;
        } finally {
            if (fd >= 0) {
                Linux.close(fd);
                fd = -1;
            }
        }
    }

    private void makeMemory(ShmLayout layout) throws FabricException {
        fabric.reserve(layout.bookedBytes());
        try {
            fd = Segment.create(layout.totalBytes);
            segment = Segment.map(fd, layout.totalBytes);
            bookedBytes = layout.bookedBytes();
        } finally {
            if (segment == null) {
                fabric.release(layout.bookedBytes());
            }
        }
    }

    /**
     * Sends the reply, with this side's end of a connection that moves, and with the memory if it
     * is new.
     */
    private void reply(int status, ShmLayout layout, QpSpec spec, byte[] privateData)
            throws IOException {
        ShmHandshake.Reply reply =
                new ShmHandshake.Reply(
                        ShmHandshake.VERSION, status, spec, layout.totalBytes, privateData);
        link.send(reply.encode(), ShmHandshake.MESSAGE_BYTES, end, fd);
        forgetEnd();
    }

    /** Hands the queue pair over to the caller, because the connection is up. */
    ShmQueuePair handOver() {
        return queuePair;
    }

    /** Releases everything, including the link, because there is no connection. */
    void takeBack() {
        forgetEnd();
        if (queuePair != null) {
            queuePair.close();
        } else if (transport != null) {
            transport.close();
        } else {
            if (segment != null) {
                segment.release();
                fabric.release(bookedBytes);
            }
            link.close();
        }
    }
}
