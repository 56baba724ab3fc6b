package io.sdp4j.fabric.shm;

import io.sdp4j.linux.Linux;
import io.sdp4j.linux.PortOwner;

/**
 * Decides which users we talk to: our own and no other, not even root. A server must also run as
 * the user that owns the kernel's TCP listener of the port.
 */
class PeerCredentials {
    /**
     * A user without a certain number here: one of another namespace, or one that the kernel does
     * not tell.
     */
    static final long STRANGER = -1;

    private final long ownUid;

    PeerCredentials(long ownUid) {
        this.ownUid = ownUid;
    }

    /** Returns the rules for the effective user of this process. */
    static PeerCredentials own() {
        return new PeerCredentials(Integer.toUnsignedLong(Linux.effectiveUid()));
    }

    long ownUid() {
        return ownUid;
    }

    /**
     * Returns why a server of user {@code uid} must not serve a port, or null if it may.
     *
     * @param owner user of the port's TCP listener, or {@link PortOwner#NO_USER}
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

    /** Returns why a client of user {@code uid} is refused, or null if it is not. */
    String refuseClient(long uid) {
        return uid == ownUid ? null : "the client runs as " + user(uid) + ", we as " + user(ownUid);
    }

    static String user(long uid) {
        return uid == STRANGER ? "a user without a certain number here" : "user " + uid;
    }
}
