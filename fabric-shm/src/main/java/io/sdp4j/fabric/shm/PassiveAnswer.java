package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.QpSpec;
import java.io.IOException;

/**
 * The grant of the passive side of a hand-shake, and the message that says so: memory for both
 * sides with a queue pair on it, or the memory of a transport that has carried a connection once
 * more.
 *
 * <p>Owns the memory, its file and the queue pair until {@link #handOver}. On the event thread, but
 * for {@link #make}, during which nothing else is called.
 */
final class PassiveAnswer {
    private final ShmFabric fabric;
    private final ShmListener listener;
    private final PeerSocket link;
    private ShmTransport transport;
    private ShmQueuePair queuePair;

    /** The very file that was made, while it has a name, or null. */
    private Object file;

    /** Memory that was made, before there is a transport. */
    private Segment segment;

    private long bookedBytes;
    private String name = "";
    private int fd = -1;

    /** This side's end of the TCP connection that moves, or -1. */
    private int end = -1;

    /**
     * @param transport one that has carried a connection, or null
     */
    PassiveAnswer(ShmFabric fabric, ShmListener listener, PeerSocket link, ShmTransport transport) {
        this.fabric = fabric;
        this.listener = listener;
        this.link = link;
        this.transport = transport;
    }

    /** Takes this side's end of the TCP connection that moves: the answer shows it. */
    void showEnd(int socket) {
        end = socket;
    }

    private void forgetEnd() {
        ShmListener.closeDescriptor(end);
        end = -1;
    }

    /** Says no. */
    void refuse(int status, byte[] privateData) throws IOException {
        link.send(
                ShmHandshake.Reply.refusal(status, privateData).encode(),
                ShmHandshake.MESSAGE_BYTES,
                -1);
    }

    /** Whether the memory that the client will get cannot change its size. */
    boolean sealed(ShmHandshake.Hello hello) {
        return (hello.modes() & fabric.modes() & ShmHandshake.MODE_NATIVE) != 0;
    }

    /** Whether making the memory takes long enough to be done on another thread first. */
    boolean slow(ShmHandshake.Hello hello) {
        return transport == null && !sealed(hello);
    }

    /** Makes the memory, on any thread; why it cannot be, or null. */
    FabricException make(ShmHandshake.Hello hello, QpSpec spec) {
        try {
            makeMemory(layout(hello, spec), sealed(hello));
            return null;
        } catch (FabricException e) {
            return e;
        }
    }

    /** Says yes, with what was negotiated. */
    void grant(ShmHandshake.Hello hello, QpSpec spec, byte[] privateData) throws IOException {
        ShmLayout layout = layout(hello, spec);
        int mode = sealed(hello) ? ShmHandshake.MODE_NATIVE : ShmHandshake.MODE_PORTABLE;
        if (transport != null) {
            grantAgain(mode, layout, spec, privateData);
        } else {
            grantMemory(mode, layout, spec, privateData);
        }
    }

    private ShmLayout layout(ShmHandshake.Hello hello, QpSpec spec) {
        int mode = sealed(hello) ? ShmHandshake.MODE_NATIVE : ShmHandshake.MODE_PORTABLE;
        return ShmFabric.layout(mode, hello.spec(), spec);
    }

    /**
     * There is nothing left for the client to do that could fail, so it is not waited for; one that
     * has left is seen here.
     */
    private void grantAgain(int mode, ShmLayout layout, QpSpec spec, byte[] privateData)
            throws IOException {
        if (mode != ShmHandshake.MODE_NATIVE || !layout.sameAs(transport.layout())) {
            throw new FabricException(Cause.PROTOCOL, "another shape on the same memory");
        }
        if (!link.drain()) {
            throw new FabricException(Cause.CLOSED, "the client left");
        }
        queuePair = fabric.queuePair(1, transport, listener::rest);
        reply(ShmHandshake.ACCEPTED_AGAIN, mode, layout, "", spec, privateData, -1);
    }

    private void grantMemory(int mode, ShmLayout layout, QpSpec spec, byte[] privateData)
            throws IOException {
        boolean sealed = mode == ShmHandshake.MODE_NATIVE;
        try {
            if (segment == null) {
                makeMemory(layout, sealed);
            }
            transport = new ShmTransport(fabric, link, segment, layout, sealed);
            queuePair = fabric.queuePair(1, transport, listener::rest);
            reply(ShmHandshake.ACCEPTED, mode, layout, name, spec, privateData, fd);
        } catch (FabricException e) {
            refuse(ShmHandshake.NO_MEMORY, new byte[0]);
            throw e;
        } finally {
            ShmListener.closeDescriptor(fd);
            fd = -1;
        }
    }

    private void makeMemory(ShmLayout layout, boolean sealed) throws FabricException {
        fabric.reserve(layout.bookedBytes());
        try {
            if (sealed) {
                fd = Memory.create(layout.totalBytes);
                segment = Memory.map(fd, layout.totalBytes);
            } else {
                name = Memory.newName();
                makeFile(layout.totalBytes);
            }
            bookedBytes = layout.bookedBytes();
        } finally {
            if (segment == null) {
                fabric.release(layout.bookedBytes());
            }
        }
    }

    private void makeFile(long lenBytes) throws FabricException {
        try (PrivateDirectory in = fabric.rendezvous().reopen(listener.directory())) {
            segment = Memory.createFile(in, Memory.fileName(name), lenBytes);
            PrivateDirectory.Entry made = in.look(Memory.fileName(name));
            file = made == null ? null : made.identity();
        }
    }

    private void reply(
            int status,
            int mode,
            ShmLayout layout,
            String fileName,
            QpSpec spec,
            byte[] privateData,
            int fd)
            throws IOException {
        ShmHandshake.Reply reply =
                new ShmHandshake.Reply(
                        ShmHandshake.VERSION,
                        mode,
                        status,
                        spec,
                        layout.totalBytes,
                        fileName,
                        privateData);
        link.send(reply.encode(), ShmHandshake.MESSAGE_BYTES, end, fd);
        forgetEnd();
    }

    /**
     * The connection is up: the queue pair is the caller's, and the file's name is needed no more.
     */
    ShmQueuePair handOver() {
        removeFile();
        return queuePair;
    }

    private void removeFile() {
        if (file != null) {
            fabric.rendezvous().removeOwn(listener.directory(), Memory.fileName(name), file);
            file = null;
        }
    }

    /** There is no connection: gives all of it back, the link included. */
    void takeBack() {
        forgetEnd();
        removeFile();
        if (queuePair != null) {
            queuePair.close();
        } else if (transport != null) {
            transport.close();
        } else {
            if (segment != null) {
                segment.release().run();
                fabric.release(bookedBytes);
            }
            link.close();
        }
    }
}
