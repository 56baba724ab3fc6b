package io.sdp4j.fabric.shm;

import io.sdp4j.linux.Linux;
import io.sdp4j.linux.PortOwner;

/**
 * Which user we talk to: our own, and no other, root included. A server must run as the user that
 * owns the kernel's TCP listener of the port.
 */
class PeerCredentials {
    /** A user that has no certain number here: of another namespace, or not told. */
    static final long STRANGER = -1;

    private final long ownUid;

    PeerCredentials(long ownUid) {
        this.ownUid = ownUid;
    }

    /** For the effective user of this process. */
    static PeerCredentials own() {
        return new PeerCredentials(Integer.toUnsignedLong(Linux.effectiveUid()));
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
}
