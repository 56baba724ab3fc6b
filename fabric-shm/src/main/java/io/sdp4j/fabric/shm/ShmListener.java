package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.linux.TcpSocketFd;
import io.sdp4j.linux.UnixFd;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A listener: one or two names in the rendezvous directory, and the hand-shakes under way.
 *
 * <p>When a name appears, its socket is listening already: the socket is bound under a temporary
 * name and then renamed. The rename also replaces the name of a listener whose process is gone.
 */
final class ShmListener implements FabricListener, UnixSockets.Taker {
    private static final int MAX_RESTING = 64;

    private final ShmFabric fabric;
    private final ListenRequest request;
    private final Set<ShmPassiveSide> pending = ConcurrentHashMap.newKeySet();
    private final AtomicInteger resting = new AtomicInteger();
    private List<Name> names = new ArrayList<>(2); // this
    private Path directory;
    volatile boolean closed;

    private record Name(String name, Object identity, UnixSockets.Listening listening) {}

    ShmListener(ShmFabric fabric, ListenRequest request) {
        this.fabric = fabric;
        this.request = request;
    }

    synchronized void start() throws FabricException {
        try {
            takeNames();
        } catch (FabricException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private List<String> wantedNames() {
        return fabric.rendezvous.listenerNames(request.address(), request.dualStack());
    }

    private void takeNames() throws FabricException {
        try (PrivateDirectory place = fabric.rendezvous.forListening()) {
            directory = place.path();
            for (String name : wantedNames()) {
                names.add(take(place, name));
            }
            NamesAtExit.add(this);
        } catch (FabricException e) {
            throw e;
        } catch (IOException e) {
            throw new FabricException(Cause.UNAVAILABLE, e.getMessage(), e);
        }
    }

    /** Takes the names again if one has disappeared: at logout the user's directory is removed. */
    synchronized void renewNames() {
        if (closed || directory == null || (names.size() == wantedNames().size() && named())) {
            return;
        }
        List<Name> before = names;
        Path place = directory;
        names = new ArrayList<>(2);
        boolean renewed = false;
        try {
            takeNames();
            renewed = true;
        } catch (FabricException e) {
            // tried again next time; one of several may be good
        } finally {
            List<Name> gone = renewed ? before : names;
            Path in = renewed ? place : directory;
            if (!renewed) {
                names = before;
                directory = place;
            }
            drop(in, gone);
        }
    }

    private boolean named() {
        for (Name n : names) {
            if (!Files.exists(directory.resolve(n.name))) {
                return false;
            }
        }
        return true;
    }

    private void drop(Path place, List<Name> all) {
        for (Name n : all) {
            fabric.rendezvous.removeOwn(place, n.name, n.identity);
            n.listening.close();
        }
    }

    private Name take(PrivateDirectory place, String name) throws IOException {
        String temporary = Rendezvous.temporaryName();
        Path address = place.address(temporary);
        int length = address.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > UnixFd.MAX_PATH_BYTES) {
            throw new IOException(
                    address + " is longer than a socket's name may be; set a shorter directory");
        }
        UnixSockets.Listening listening;
        try {
            listening = fabric.sockets.listen(address, this);
        } catch (IOException e) {
            discard(place, temporary);
            throw new IOException("in " + place.path() + ": " + e.getMessage(), e);
        } catch (RuntimeException | Error e) {
            discard(place, temporary);
            throw e;
        }
        try {
            PrivateDirectory.Entry made = place.look(temporary);
            if (made == null || !made.socket() || !made.own()) {
                throw new IOException(place.path() + " was replaced meanwhile");
            }
            place.rename(temporary, name);
            return new Name(name, made.identity(), listening);
        } catch (IOException | RuntimeException | Error e) {
            listening.close();
            discard(place, temporary);
            throw e;
        }
    }

    /**
     * Removes a temporary name, without a check that its socket is dead: a closed socket may accept
     * connections for a while.
     */
    private static void discard(PrivateDirectory place, String temporary) {
        try {
            place.remove(temporary);
        } catch (IOException e) {
            // it is gone, or was replaced
        }
    }

    @Override
    public boolean mayCome() {
        return fabric.beginHandshake();
    }

    @Override
    public void noneCame() {
        fabric.endHandshake();
    }

    /** Lets clients that had to wait come. Event thread. */
    void hear() {
        List<Name> all;
        synchronized (this) {
            all = List.copyOf(names);
        }
        all.forEach(n -> n.listening.resume());
    }

    @Override
    public void take(PeerSocket link) {
        ShmPassiveSide side = null;
        try {
            side = sideOf(link);
        } finally {
            if (side == null) {
                try {
                    link.close();
                } finally {
                    fabric.endHandshake();
                }
            }
        }
        if (side != null) {
            side.start();
        }
    }

    /** Returns the passive side of one more hand-shake; null if the client is refused. */
    private ShmPassiveSide sideOf(PeerSocket link) {
        String refusal = fabric.trust.refuseClient(link.peerUid());
        if (closed || refusal != null) {
            if (!closed) {
                onRefused(link, refusal);
            }
            return null;
        }
        ShmPassiveSide side = new ShmPassiveSide(fabric, this, link, null);
        pending.add(side);
        return side;
    }

    /**
     * Waits for another connection on {@code transport}, unless enough transports do so. Returns
     * whether it does.
     */
    boolean rest(ShmTransport transport) {
        if (closed
                || resting.get() >= MAX_RESTING
                || ShmFabric.scarce(transport.link().descriptor()) != null) {
            return false;
        }
        resting.incrementAndGet();
        try {
            fabric.loop.execute(() -> startResting(transport));
            return true;
        } catch (OutOfMemoryError e) {
            roused();
            return false;
        }
    }

    private void startResting(ShmTransport transport) {
        ShmPassiveSide side = null;
        boolean waits = false;
        try {
            side = new ShmPassiveSide(fabric, this, transport.link(), transport);
            waits = pending.add(side);
        } finally {
            if (!waits) { // no memory was left
                roused();
                transport.close();
            }
        }
        side.start();
        if (closed) {
            side.listenerClosed();
        }
    }

    /** Gives up the transports that wait for another connection. Event thread. */
    void dropResting() {
        for (ShmPassiveSide side : pending) {
            side.dropIfResting();
        }
    }

    /** Uncounts a side that was counted by {@link #rest}, because it does not rest any more. */
    void roused() {
        resting.decrementAndGet();
    }

    /** Whether a client may ask this listener for {@code wanted}. */
    boolean covers(InetSocketAddress wanted) {
        InetAddress served = request.address().getAddress();
        InetAddress ip = wanted.getAddress();
        if (wanted.getPort() != request.address().getPort() || ip.isAnyLocalAddress()) {
            return false;
        }
        if (!served.isAnyLocalAddress()) {
            return served.equals(ip);
        }
        boolean four = ip instanceof Inet4Address;
        return four == served instanceof Inet4Address || (four && request.dualStack());
    }

    /**
     * Returns a duplicate of the socket of the connection from {@code remote} that was accepted
     * here, or -1.
     */
    int acceptedSocket(InetSocketAddress local, InetSocketAddress remote) {
        int[] copy = {-1};
        request.accepted()
                .with(local, remote, fd -> copy[0] = TcpSocketFd.duplicate(fd, local, remote));
        return copy[0];
    }

    void onRequest(ShmPassiveSide side) {
        request.handler().onRequest(side);
    }

    void onShort(String why) {
        request.handler().onShort(why);
    }

    void onRefused(PeerSocket link, String why) {
        request.handler().onRefused(link.peerName(), why);
    }

    /** Forgets a hand-shake that has ended or has become a connection. */
    void forget(ShmPassiveSide side) {
        if (pending.remove(side) && !side.again) {
            fabric.endHandshake();
        }
    }

    /** Removes its names at the end of the JVM; it still listens. Any thread. */
    void removeNames() {
        List<Name> all;
        Path in;
        synchronized (this) {
            all = List.copyOf(names);
            in = directory;
        }
        for (Name n : all) {
            fabric.rendezvous.removeOwn(in, n.name, n.identity);
        }
    }

    /** Ends listening; connections that were accepted go on. */
    @Override
    public void close() {
        List<Name> all;
        Path place;
        synchronized (this) {
            closed = true;
            all = List.copyOf(names);
            place = directory;
            names.clear();
        }
        NamesAtExit.remove(this); // last: nothing adds it any more
        drop(place, all);
        for (ShmPassiveSide side : pending) {
            side.listenerClosed();
        }
        fabric.forget(this);
    }
}
