package io.sdp4j.offload;

import io.sdp4j.offload.jdk.JdkBridge;
import io.sdp4j.offload.jdk.KernelSocket;
import io.sdp4j.offload.spi.AcceptedConnections;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketOptions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Moves one connection within this process from kernel TCP to a provider, on a thread of ours, and
 * closes it. A server does so while it waits for its first peer: the peer then need not wait until
 * the classes of a connection are loaded here (docs/decisions/0007-layer-when-needed.md).
 *
 * <p>Thread-safety: {@code this} guards the fields that are not final.
 */
final class Rehearsal implements AcceptedConnections, Runnable {
    /** Of small messages; more gained nothing. */
    private static final int ROUND_TRIPS = 50;

    private static final int MESSAGE_BYTES = 64;

    /** Time for each step. */
    private static final int LIMIT_MILLIS = 2000;

    private final OffloadProvider provider;
    private final List<String> fabrics;
    private KernelSocket accepted;
    private OffloadStream taken;
    private boolean over; // no stream will be taken any more

    Rehearsal(OffloadProvider provider, List<String> fabrics) {
        this.provider = provider;
        this.fabrics = fabrics;
    }

    @Override
    public void run() {
        KernelSocket listener = KernelSocket.server();
        try {
            listener.create();
            try {
                rehearse(listener);
            } finally {
                listener.close();
            }
        } catch (IOException
                | OffloadUnavailable
                | RuntimeException
                | LinkageError
                | OutOfMemoryError e) {
            OffloadSwitch.Log.OUT.debug("the first connection is not rehearsed: {}", e.toString());
        }
    }

    private void rehearse(KernelSocket listener) throws IOException, OffloadUnavailable {
        listener.bind(InetAddress.getLoopbackAddress(), 0);
        listener.listen(1);
        listener.setOption(SocketOptions.SO_TIMEOUT, LIMIT_MILLIS);
        ListenSpec spec =
                new ListenSpec(listener.localAddress(), false, 1, fabrics, () -> {}, this);
        KernelSocket client = KernelSocket.client(false);
        client.create();
        try (OffloadListener _ = provider.listen(spec)) {
            client.connect(listener.localAddress(), LIMIT_MILLIS);
            KernelSocket socket = listener.accept();
            try {
                move(client, socket);
            } finally {
                socket.close();
            }
        } finally {
            client.close();
        }
    }

    private void move(KernelSocket client, KernelSocket socket)
            throws IOException, OffloadUnavailable {
        synchronized (this) {
            accepted = socket;
        }
        InetSocketAddress local = client.localAddress();
        long now = System.nanoTime();
        long limit = now + TimeUnit.MILLISECONDS.toNanos(LIMIT_MILLIS);
        OffloadStream made = null;
        try {
            made =
                    provider.connect(
                            new ConnectSpec(
                                    client.remoteAddress(),
                                    _ -> local,
                                    fabrics,
                                    now,
                                    limit,
                                    limit,
                                    false,
                                    () -> false,
                                    _ -> {},
                                    JdkBridge.value(client.fileDescriptor())));
            OffloadStream other = awaitTaken(limit);
            if (other != null) {
                exchange(made, other, limit);
            }
        } finally {
            end();
            if (made != null) {
                made.close(false);
            }
        }
    }

    private static void exchange(OffloadStream one, OffloadStream other, long limit)
            throws IOException {
        byte[] message = new byte[MESSAGE_BYTES];
        for (int i = 0; i < ROUND_TRIPS && System.nanoTime() - limit < 0; i++) {
            send(one, other, message);
            send(other, one, message);
        }
    }

    private static void send(OffloadStream from, OffloadStream to, byte[] message)
            throws IOException {
        int _ = from.tryWrite(message, 0, message.length);
        if (to.tryRead(message, 0, message.length) == 0) {
            to.await(OffloadStream.READ, TimeUnit.MILLISECONDS.toNanos(1));
            int _ = to.tryRead(message, 0, message.length);
        }
    }

    private synchronized OffloadStream awaitTaken(long limit) {
        long left = limit - System.nanoTime();
        while (taken == null && !over && left > 0) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                return null; // only an application that interrupts all threads does so
            }
            left = limit - System.nanoTime();
        }
        return taken;
    }

    private void end() {
        OffloadStream other;
        synchronized (this) {
            over = true;
            other = taken;
        }
        if (other != null) {
            other.close(false);
        }
    }

    // --- the accepted end ---

    private synchronized boolean is(InetSocketAddress local, InetSocketAddress remote)
            throws IOException {
        return accepted != null
                && !over
                && remote.equals(accepted.remoteAddress())
                && local.equals(accepted.localAddress());
    }

    @Override
    public synchronized void with(
            InetSocketAddress local, InetSocketAddress remote, IntConsumer use) {
        if (begin(local, remote)) {
            use.accept(JdkBridge.value(accepted.fileDescriptor()));
        }
    }

    @Override
    public boolean begin(InetSocketAddress local, InetSocketAddress remote) {
        try {
            return is(local, remote);
        } catch (IOException e) {
            return false; // it is closed already
        }
    }

    @Override
    public void moved(OffloadStream stream) {
        synchronized (this) {
            if (!over) {
                taken = stream;
                notifyAll();
                return;
            }
        }
        stream.close(true);
    }

    /** No stream comes. */
    @Override
    public synchronized void failed(InetSocketAddress local, InetSocketAddress remote) {
        over = true;
        notifyAll();
    }
}
