package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.Capabilities;
import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.AdaptiveSpin;
import io.sdp4j.linux.CpuPressure;
import io.sdp4j.linux.DaemonThread;
import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.Mapping;
import io.sdp4j.linux.NativeAccess;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The shared-memory fabric: RC queue pairs between processes of one host. Data goes through sealed
 * memfds, threads sleep on futexes, and Unix-domain sockets carry hand-shakes and wake-up bytes.
 *
 * <p>{@link Rendezvous} finds listeners; {@link PeerCredentials} and {@link Proof} decide which
 * peers are trusted. Thread-safe.
 */
public final class ShmFabric implements Fabric {
    /**
     * Most bytes of one RDMA operation, so that it does not occupy the reader's processor for long.
     */
    private static final int RDMA_BYTES = 256 << 10;

    private static final Capabilities CAPABILITIES =
            new Capabilities(
                    ShmHandshake.MAX_PRIVATE_BYTES,
                    true,
                    RdmaEngine.MAX_READS,
                    false,
                    RDMA_BYTES,
                    false);

    private static final int CHUNKS = 4;
    private static final int CHUNK_BYTES = 32 << 10;
    private static final long SWEEP_SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long SWEEP_LATER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int MAX_HANDSHAKES = 256;
    private static final int FEW_DESCRIPTORS = 1024;

    /**
     * Most descriptors of ours where there are few: connections that moved at the same time were
     * seen to exceed an eighth. See {@link #ownDescriptors}.
     */
    private static final int SHARE_OF_FEW = 96;

    private static final AtomicInteger SPINNERS = new AtomicInteger();

    private static final long PATIENCE_NANOS = TimeUnit.MICROSECONDS.toNanos(150);

    private final ShmConfig config;
    final EpollLoop loop;
    final PeerCredentials trust;
    final UnixSockets sockets;
    final Rendezvous rendezvous;
    final Proof proof = new Proof();
    private final AtomicLong reservedBytes = new AtomicLong();
    private final Set<ShmQueuePair> queuePairs = ConcurrentHashMap.newKeySet();
    private final Set<ShmListener> listeners = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean sweepDue = new AtomicBoolean();
    private final AtomicBoolean renewDue = new AtomicBoolean();
    final ShmTransportPool pool = new ShmTransportPool(this);
    private volatile boolean closed;

    /** Clients that were accepted and whose hand-shake has not ended. Event thread only. */
    private int handshakes;

    /** Clients were left in a listener's backlog. Event thread only. */
    private boolean someWait;

    private final int mostHandshakes;

    /**
     * Opens the fabric. Makes no file and no thread before the first listener or connect.
     *
     * @param loop serves listeners, wake-up bytes and the ends of connections
     * @throws FabricException if native calls are not possible
     */
    public static ShmFabric open(ShmConfig config, EventLoop loop) throws FabricException {
        return open(config, loop, warning -> {});
    }

    /**
     * @param warnings gets problems that this user can fix, each once, on the thread that found it
     */
    public static ShmFabric open(ShmConfig config, EventLoop loop, Consumer<String> warnings)
            throws FabricException {
        if (loop instanceof EpollLoop epoll) {
            return new ShmFabric(config, epoll, PeerCredentials.own(), warnings);
        }
        throw new FabricException(
                Cause.UNAVAILABLE,
                "shared memory needs native calls: " + NativeAccess.explanation());
    }

    /**
     * @param trust another view of who owns what, for tests
     */
    ShmFabric(ShmConfig config, EpollLoop loop, PeerCredentials trust, Consumer<String> warnings) {
        this.config = config;
        this.trust = trust;
        this.loop = loop;
        sockets = new UnixSockets(loop);
        // a share of the descriptors: clients that only connect must not use up what others need
        mostHandshakes = Math.clamp(Linux.descriptorLimit() / 8, 1, MAX_HANDSHAKES);
        rendezvous =
                new Rendezvous(
                        new RendezvousDirectories(config.directory(), trust.ownUid()), warnings);
    }

    /**
     * How long one side of a hand-shake polls for the other's answer before it sleeps: about as
     * long as two wake-ups take; 0 if spinning is off or would keep other threads from running.
     */
    long patienceNanos() {
        boolean spins = config.spinMaxNanos() > 0 && config.spinnersMax() > 0;
        return spins && !CpuPressure.crowded(System.nanoTime()) ? PATIENCE_NANOS : 0;
    }

    @Override
    public String name() {
        return "shm";
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Connection connect(ConnectRequest request) throws FabricException {
        requireOpen();
        return new ShmActiveSide(this, request).connect();
    }

    @Override
    public FabricListener listen(ListenRequest request) throws FabricException {
        requireOpen();
        rendezvous.sweep();
        ShmListener listener = new ShmListener(this, request);
        listeners.add(listener); // before a client can come, because it may have to wait
        boolean complete = false;
        try {
            listener.start();
            renewLater();
            requireOpen();
            complete = true;
            return listener;
        } finally {
            if (!complete) {
                listener.close();
            }
        }
    }

    /** Starts the one timer that renews the names of all listeners. */
    private void renewLater() {
        if (renewDue.compareAndSet(false, true)) {
            boolean scheduled = false;
            try {
                loop.schedule((EventLoop.Repeatable) this::renew, RENEW_NANOS);
                scheduled = true;
            } finally {
                if (!scheduled) {
                    renewDue.set(false);
                }
            }
        }
    }

    private void renew() {
        renewDue.set(false);
        if (!listeners.isEmpty()) {
            renewLater();
            try {
                renewNames();
            } catch (OutOfMemoryError e) {
                // the next renewal goes on
            }
        }
    }

    /** Takes names again that have disappeared. */
    void renewNames() {
        listeners.forEach(ShmListener::renewNames);
    }

    private void requireOpen() throws FabricException {
        if (closed) {
            throw new FabricException(Cause.CLOSED, "the fabric is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        for (ShmListener l : listeners) {
            l.close();
        }
        for (ShmQueuePair qp : queuePairs) {
            qp.kill(WcStatus.WR_FLUSH_ERR);
        }
        pool.close();
    }

    // ---- for the hand-shake

    /**
     * Returns the number from which on descriptors are left to the application. The kernel gives
     * the lowest free number, so all below are then in use. The rest is enough for the connections
     * that stay on TCP, which need one descriptor each where ours may need two or three. If the
     * limit is low, a program may need nearly all of its descriptors.
     */
    static long ownDescriptors() {
        long limit = Linux.descriptorLimit();
        if (limit == Long.MAX_VALUE) {
            return limit;
        }
        return limit <= FEW_DESCRIPTORS ? Math.min(limit / 8, SHARE_OF_FEW) : limit / 2;
    }

    /** Returns why descriptor {@code fd} must not be used for a connection, or null if it may. */
    static String scarce(int fd) {
        return fd < ownDescriptors()
                ? null
                : fd + " descriptors are in use, of " + Linux.descriptorLimit() + " (ulimit -n)";
    }

    /** Whether one more client may be served now; if so, counts it. Event thread. */
    boolean beginHandshake() {
        if (handshakes >= mostHandshakes) {
            someWait = true;
            return false;
        }
        handshakes++;
        return true;
    }

    /** Ends a hand-shake that was counted, and lets waiting clients come. Event thread. */
    void endHandshake() {
        handshakes--;
        if (someWait) {
            listeners.forEach(ShmListener::hear); // they look later, on this thread
            someWait = false;
        }
    }

    static ShmLayout layout(QpSpec active, QpSpec passive) {
        return new ShmLayout(active, passive, CHUNKS, CHUNK_BYTES, Mapping.PAGE_BYTES);
    }

    /**
     * Books memory for a connection. If there is too little, gives up the transports that only wait
     * to be used again.
     */
    void reserve(long bytes) throws FabricException {
        if (!tryReserve(bytes)) {
            pool.drop();
            if (loop.inLoop()) {
                listeners.forEach(ShmListener::dropResting);
            }
            if (tryReserve(bytes)) {
                return;
            }
            throw new FabricException(
                    Cause.RESOURCES,
                    bytes
                            + " bytes more would exceed the "
                            + config.memoryMaxBytes()
                            + " bytes of sdp4j.memory.max.mb");
        }
    }

    /** Books memory if there is enough without giving up transports. Any thread; takes no lock. */
    boolean tryReserve(long bytes) {
        if (reservedBytes.get() + bytes > config.memoryMaxBytes()) {
            return false; // called for each message then: avoids a write to a shared cache line
        }
        if (reservedBytes.addAndGet(bytes) <= config.memoryMaxBytes()) {
            return true;
        }
        reservedBytes.addAndGet(-bytes);
        return false;
    }

    void release(long bytes) {
        reservedBytes.addAndGet(-bytes);
    }

    long reservedBytes() {
        return reservedBytes.get();
    }

    /** Makes the queue pair of a connection whose memory is booked and mapped. */
    ShmQueuePair queuePair(int side, ShmTransport transport, Predicate<ShmTransport> recycler) {
        AdaptiveSpin spinner =
                new AdaptiveSpin(config.spinMaxNanos(), config.spinnersMax(), SPINNERS);
        return new ShmQueuePair(
                new ShmQueuePair.Parts(side, transport, recycler, spinner, config.sleepTogether()));
    }

    /** Registers {@code qp}, so that {@link #close} cuts it. */
    void established(ShmQueuePair qp) {
        queuePairs.add(qp);
        if (closed) {
            qp.kill(WcStatus.WR_FLUSH_ERR);
        }
    }

    void forget(ShmQueuePair qp) {
        queuePairs.remove(qp);
    }

    void forget(ShmListener listener) {
        listeners.remove(listener);
    }

    /**
     * Plans a sweep after a peer's socket ended: perhaps its process died and left names behind.
     */
    void peerLeft() {
        if (sweepDue.compareAndSet(false, true)) {
            boolean scheduled = false;
            try {
                loop.schedule(this::sweepAside, SWEEP_SOON_NANOS);
                loop.schedule(
                        () -> {
                            sweepDue.set(false);
                            sweepAside();
                        },
                        SWEEP_LATER_NANOS);
                scheduled = true;
            } finally {
                if (!scheduled) {
                    sweepDue.set(false);
                }
            }
        }
    }

    /** Sweeps on a thread of its own, so that connections do not wait. */
    private void sweepAside() {
        try {
            DaemonThread.of("sdp4j-sweep", rendezvous::sweep).start();
        } catch (OutOfMemoryError e) {
            // another process or the next sweep does it
        }
    }
}
