package io.sdp4j.fabric.shm;

import io.sdp4j.linux.PortOwner;
import java.net.InetSocketAddress;

/**
 * Which user we talk to: our own, and no other, root included. A server must run as the user that
 * owns the kernel's TCP listener of the port.
 */
class PeerCredentials {
    /** A user that has no certain number here: of another namespace, or not told. */
    static final long STRANGER = -1;

    private final long ownUid;
    private final boolean nativeCalls;

    PeerCredentials(long ownUid, boolean nativeCalls) {
        this.ownUid = ownUid;
        this.nativeCalls = nativeCalls;
    }

    long ownUid() {
        return ownUid;
    }

    /**
     * Why a server of user {@code uid} must not serve a port, or null.
     *
     * @param owner of the port's listener, or {@link PortOwner#NO_USER}
     */
    String refuseServer(long uid, long owner) {
        if (uid != ownUid) {
            return "the process behind the rendezvous runs as "
                    + user(uid)
                    + ", we as "
                    + user(ownUid);
        }
        if (owner != uid) {
            return "the process behind the rendezvous runs as user "
                    + uid
                    + ", but the TCP port belongs to "
                    + (owner == PortOwner.NO_USER ? "no user" : "user " + owner);
        }
        return null;
    }

    /** Why a client of user {@code uid} is not let in, or null. */
    String refuseClient(long uid) {
        return uid == ownUid ? null : "the client runs as " + user(uid) + ", we as " + user(ownUid);
    }

    static String user(long uid) {
        return uid == STRANGER ? "a user without a certain number here" : "user " + uid;
    }

    /** The kernel's listener that would take a connection to {@code address}. */
    PortOwner.Listener listener(InetSocketAddress address) {
        return PortOwner.listener(address, nativeCalls);
    }
}
