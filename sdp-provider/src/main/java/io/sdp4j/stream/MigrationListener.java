package io.sdp4j.stream;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.linux.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;

/**
 * The place at which a session that we suspend is resumed (docs/protocol.md 10).
 *
 * <p>Shape: a port of our own address, held by a kernel listener that accepts no connection, and a
 * fabric listener on it that takes one connection: from the address and port that the peer has
 * always had. That connection is handed to the stream as soon as the session is suspended. Both
 * listeners are closed when the session goes on, is lost or released; at the latest by a timer.
 *
 * <p>Guarded by its monitor, which is never held while the stream is called.
 */
final class MigrationListener implements PassiveOpen.Outcome {
    private final StreamLife stream;
    private final StreamContext context;
    private final Fabric fabric;
    private final InetSocketAddress peer;
    private final ServerSocket holder;
    private final InetSocketAddress at;
    private FabricListener listener;
    private EventLoop.Timer limit;

    /** A peer was let in. */
    private boolean taken;

    /** The connection of a peer that came before the session was suspended; null = none. */
    private Established early;

    private boolean suspended;
    private boolean over;

    private MigrationListener(
            StreamLife stream,
            StreamContext context,
            Fabric fabric,
            InetSocketAddress peer,
            ServerSocket holder) {
        this.stream = stream;
        this.context = context;
        this.fabric = fabric;
        this.peer = peer;
        this.holder = holder;
        this.at = (InetSocketAddress) holder.getLocalSocketAddress();
    }

    /**
     * Begins to listen.
     *
     * @param local the address of this side
     * @param peer the only address that is let in
     * @throws IOException if there is no port, or the fabric cannot listen on it
     */
    static MigrationListener open(
            StreamLife stream,
            StreamContext context,
            Fabric fabric,
            InetSocketAddress local,
            InetSocketAddress peer)
            throws IOException {
        ServerSocket holder = KernelSockets.<ServerSocket, IOException>call(ServerSocket::new);
        try {
            holder.bind(new InetSocketAddress(local.getAddress(), 0), 1);
            MigrationListener place = new MigrationListener(stream, context, fabric, peer, holder);
            place.listen();
            return place;
        } catch (IOException e) {
            holder.close();
            throw e;
        }
    }

    private synchronized void listen() throws FabricException {
        listener = fabric.listen(new ListenRequest(at, false, this::onRequest));
        watch();
    }

    int port() {
        return at.getPort();
    }

    private void watch() {
        assert Thread.holdsLock(this);
        limit = context.loop().schedule(this::onLimit, context.settings().resumeNanos());
    }

    private void onRequest(ConnectionRequest request) {
        boolean welcome;
        synchronized (this) {
            welcome = !over && !taken && request.remoteAddress().equals(peer);
            taken |= welcome;
        }
        if (!welcome) {
            request.reject(Reasons.refusal(Reasons.CAUSE_POLICY));
            return;
        }
        PassiveOpen.answer(request, fabric, context, this);
    }

    @Override
    public synchronized void onFailed(FabricException failure) {
        taken = false;
    }

    @Override
    public void onEstablished(Established open) {
        stream.onNotify(); // what the peer said before it came may not have been heard yet
        synchronized (this) {
            early = open;
        }
        goOn();
    }

    /** The session is suspended; with the stream's lock. */
    synchronized void begin() {
        assert Thread.holdsLock(stream.core);
        suspended = true;
        limit.cancel();
        watch();
        if (early != null) {
            context.loop().execute(this::goOn);
        }
    }

    /**
     * Resumes the session if it is suspended and the peer has come; otherwise the later of these
     * two events calls this again. A reader that is behind has until the limit.
     */
    private void goOn() {
        Established next;
        boolean late;
        boolean room = stream.makeRoom();
        synchronized (this) {
            late = over;
            if (early == null || !(suspended || late)) {
                return;
            }
            if (!room && !late) {
                context.loop().schedule(this::goOn, SessionReconnect.PAUSE_NANOS);
                return;
            }
            next = early;
            early = null;
        }
        if (late) {
            next.abort();
        } else {
            stream.resume(next);
        }
    }

    private void onLimit() {
        boolean waited;
        boolean came;
        synchronized (this) {
            waited = suspended;
            came = early != null;
            if (over) {
                return;
            }
        }
        if (!waited && stream.alive()) {
            synchronized (this) {
                if (!over && !suspended) {
                    watch(); // the machine has its own limit for an answer
                }
            }
            return;
        }
        if (waited) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(context.settings().resumeNanos());
            String why = came ? "what came before was not read" : peer + " did not come to " + at;
            stream.giveUpResume(why + " within " + seconds + " s");
        }
        end();
    }

    /** Stops waiting for the peer. Idempotent. */
    void end() {
        Established unwanted;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            limit.cancel();
            listener.close();
            unwanted = early;
            early = null;
        }
        if (unwanted != null) {
            unwanted.abort();
        }
        try {
            holder.close();
        } catch (IOException e) {
            throw new AssertionError(e); // it was never used
        }
    }
}
