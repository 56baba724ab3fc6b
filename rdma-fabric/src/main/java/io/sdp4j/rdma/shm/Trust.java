package io.sdp4j.rdma.shm;

import io.sdp4j.rdma.os.PortOwner;
import java.net.InetSocketAddress;

/**
 * Whom we talk to: ourselves and root. Nobody else's memory is mapped, and nobody can take a port
 * that is not his: a server must run as the user that owns the kernel's TCP listener of the port.
 */
class Trust {
    static final long ROOT = 0;

    /** A user that has no certain number here: of another namespace, or not told. */
    static final long STRANGER = -1;

    private final long ownUid;
    private final boolean nativeCalls;

    Trust(long ownUid, boolean nativeCalls) {
        this.ownUid = ownUid;
        this.nativeCalls = nativeCalls;
    }

    long ownUid() {
        return ownUid;
    }

    /** Why a server of user {@code uid} must not serve {@code wanted}, or null. */
    String refuseServer(long uid, InetSocketAddress wanted) {
        if (uid == ROOT) {
            return null;
        }
        if (uid != ownUid) {
            return "the process behind the rendezvous runs as "
                    + user(uid)
                    + ", we as "
                    + user(ownUid);
        }
        long owner = portOwner(wanted);
        if (owner != uid) {
            return "the process behind the rendezvous runs as user "
                    + uid
                    + ", but the TCP port belongs to "
                    + (owner == PortOwner.NOBODY ? "nobody" : "user " + owner);
        }
        return null;
    }

    /** Why a client of user {@code uid} is not let in, or null. */
    String refuseClient(long uid) {
        return uid == ROOT || uid == ownUid
                ? null
                : "the client runs as " + user(uid) + ", we as " + user(ownUid);
    }

    static String user(long uid) {
        return uid == STRANGER ? "a user without a certain number here" : "user " + uid;
    }

    long portOwner(InetSocketAddress address) {
        return PortOwner.uid(address, nativeCalls);
    }
}
