package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.PortOwner;
import io.sdp4j.linux.TcpSocketFd;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/**
 * The identities of both sides in one attempt to connect: whether the process behind a link is
 * believed to be the listener, and the socket that proves to it this side's address.
 */
final class ListenerProof {
    private final ShmFabric fabric;
    private final ConnectRequest request;

    /** A duplicate of the TCP socket that holds this side's address, or -1. */
    private int shown = -1;

    private InetSocketAddress own;

    ListenerProof(ShmFabric fabric, ConnectRequest request) {
        this.fabric = fabric;
        this.request = request;
    }

    /** Whether an existing TCP connection moves; otherwise a new connection is made. */
    boolean moves() {
        return request.socket() >= 0;
    }

    /** See {@link #show}. */
    int shown() {
        return shown;
    }

    /** This side's address, after {@link #show}. */
    InetSocketAddress own() {
        return own;
    }

    /** Says why no listener was found. Listeners of another user have directories of their own. */
    FabricException notFound() {
        PeerCredentials trust = fabric.trust;
        InetSocketAddress remote = request.remote();
        long owner = PortOwner.listener(remote).uid();
        if (owner == trust.ownUid() && owner != PortOwner.NO_USER) {
            return new FabricException(
                    Cause.NOT_OFFERED,
                    "the process that listens on " + remote + " does not offer shm there");
        }
        Path elsewhere = owner == PortOwner.NO_USER ? null : fabric.rendezvous.ofOther(owner);
        return elsewhere == null
                ? new FabricException(Cause.NO_LISTENER, "no process listens on shm for " + remote)
                : new FabricException(
                        Cause.UID,
                        "the TCP port belongs to "
                                + PeerCredentials.user(owner)
                                + ", whose processes meet in "
                                + elsewhere
                                + ", we run as "
                                + PeerCredentials.user(trust.ownUid()));
    }

    /**
     * Checks that the process behind {@code link} is the listener, before anything is sent to it.
     *
     * @return why it is refused, or null
     */
    FabricException refusal(PeerSocket link) throws FabricException {
        InetSocketAddress remote = request.remote();
        PortOwner.Listener listener = PortOwner.listener(remote);
        String refusal = fabric.trust.refuseServer(link.peerUid(), listener.uid());
        if (refusal != null) {
            // a process that is about to listen has its rendezvous a moment before the TCP port
            boolean early =
                    link.peerUid() == fabric.trust.ownUid() && listener.uid() == PortOwner.NO_USER;
            return new FabricException(early ? Cause.NO_LISTENER : Cause.UID, refusal);
        }
        if (moves()) {
            findOwn();
            refusal = fabric.proof.refuseMover(link.peerPid(), listener.inode(), own, remote);
        } else {
            refusal = fabric.proof.refuseServer(link.peerPid(), listener.inode());
        }
        if (refusal == null) {
            return null;
        }
        if (moves() && fabric.proof.ended(request.socket(), -1, own, remote)) {
            return new FabricException(Cause.ABANDONED, refusal);
        }
        // before the Hello only the end of the link can be received
        boolean left = link.readable() || PortOwner.listener(remote).inode() != listener.inode();
        return left
                ? new FabricException(Cause.NO_LISTENER, "the listener of " + remote + " has left")
                : new FabricException(Cause.UID, refusal);
    }

    /** May bind a port for a new connection, so it comes after the checks of the peer. */
    private void findOwn() throws FabricException {
        if (own == null) {
            try {
                own = request.localAddress().find(null);
            } catch (IOException e) {
                throw new FabricException(
                        Cause.RESOURCES, "no local address: " + e.getMessage(), e);
            }
        }
    }

    /** Makes the descriptor that proves this side's address, to be sent with the Hello. */
    void show() throws FabricException {
        findOwn();
        shown =
                moves()
                        ? fabric.proof.showEnd(request.socket(), own, request.remote())
                        : fabric.proof.show(own, request.remote());
    }

    /** Whether the connection that moves has ended. */
    boolean ended() {
        return moves() && fabric.proof.ended(shown, -1, own, request.remote());
    }

    /**
     * Checks the descriptor that came with the listener's answer: it must be the other end of the
     * connection that moves.
     */
    void requireOtherEnd(PeerSocket link) throws FabricException {
        int other = link.takeDescriptor();
        try {
            String refusal = fabric.proof.refuseEnd(shown, other, own, request.remote());
            if (refusal != null) {
                boolean ended = fabric.proof.ended(shown, other, own, request.remote());
                throw new FabricException(
                        ended ? Cause.ABANDONED : Cause.UID, "the listener's end: " + refusal);
            }
        } finally {
            if (other >= 0) {
                TcpSocketFd.closeStrange(other);
            }
        }
    }

    /** Closes what was shown. */
    void close() {
        if (shown >= 0 && moves()) {
            TcpSocketFd.closeShared(shown);
        } else if (shown >= 0) {
            Linux.close(shown);
        }
    }
}
