package io.sdp4j.offload.nio;

import io.sdp4j.offload.StreamHandle;
import io.sdp4j.offload.jdk.ChannelBridge;
import io.sdp4j.offload.jdk.JdkBridge;
import io.sdp4j.offload.jdk.ReadinessEpoll;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.atomic.AtomicInteger;
import sun.nio.ch.ConnectionChannel;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Shows the readiness of one offloaded channel to the JDK's selectors, as a descriptor that is
 * readable while something is ready that a key is interested in.
 *
 * <p>Shape: {@code interest} is the union over all keys. The descriptor becomes readable because
 * the provider notifies through its notify descriptor, or because it was raised here. It becomes
 * unreadable only in {@link #settle}, which first asks the stream for another notification and then
 * looks, so nothing is lost in between. Code on this side that changes the readiness calls {@code
 * settle} afterwards.
 *
 * <p>A key that was found ready is queued for an update, so the selector asks for the interest
 * again before its next wait. Then {@code settle} runs: once for each wake-up, after the
 * application has read and written what it wanted. Reads and writes pay nothing. While a selector
 * is busy with many channels, a descriptor that has become readable stays so, see {@link
 * SelectorPollPolicy}.
 *
 * <p>Locks: {@code this}, then those of the stream.
 */
final class ReadinessFd {
    private static final AtomicInteger NUMBERS = new AtomicInteger(1);

    private final SwitchedConnection connection;
    private final ConnectionChannel channel;
    final StreamHandle stream;
    private final ReadinessEpoll epoll; // over the provider's descriptor; closed here
    private final int number = NUMBERS.getAndIncrement();
    private volatile SelectorPollPolicy watch; // of the selector that was last told of readiness
    private int interest; // this
    private boolean silent; // this
    private int misses; // selecting thread: how often in a row it found nothing ready
    private boolean held; // selecting thread: it left the descriptor readable when it last asked

    ReadinessFd(SwitchedConnection connection, StreamHandle stream, ReadinessEpoll epoll) {
        this.connection = connection;
        this.channel = connection.channel;
        this.stream = stream;
        this.epoll = epoll;
    }

    /** Serves {@code translateInterestOps}: one key now wants {@code ops}. */
    int translateInterest(int ops) {
        if (ops != 0) {
            busyPoll(ops);
        }
        SelectorPollPolicy w = watch;
        synchronized (this) {
            interest = ops | otherInterest();
            int ready = mayHold(w) ? stream.holdNotify(OffloadStream.READ) : -1;
            held = ready >= 0;
            if (held) {
                w.hold(this, ready > 0);
            } else {
                settle();
            }
        }
        if (w != null) {
            w.asked(); // without the lock of this, as it may settle other channels
        }
        return ops == 0 ? 0 : JdkBridge.POLLIN;
    }

    /**
     * Whether the descriptor may stay readable: the selector that asks is the only one and is busy,
     * and this channel is busy, too.
     */
    private boolean mayHold(SelectorPollPolicy w) {
        return w != null
                && w.mayHold()
                && w.patientAfter(misses)
                && interest == SelectionKey.OP_READ
                && !silent
                && !connection.connectable()
                && connection.connectedStream() != null
                && onlyKeyIsOf(w);
    }

    private boolean onlyKeyIsOf(SelectorPollPolicy w) {
        int valid = 0;
        for (SelectionKey key : ChannelBridge.keys(channel)) {
            if (key != null && key.isValid()) {
                valid += w.isOf(key.selector()) ? 1 : 2;
            }
        }
        return valid == 1;
    }

    /**
     * Whether the channel is ready to read. Called by the poll policy; looks at the stream without
     * the lock of this.
     */
    boolean readyToRead() {
        return (readyOps() & SelectionKey.OP_READ) != 0;
    }

    /**
     * Returns the union of the keys' interests. A key that is just being registered may be missing;
     * the caller adds its interest.
     */
    private int otherInterest() {
        int union = 0;
        for (SelectionKey key : ChannelBridge.keys(channel)) {
            if (key instanceof SelectionKeyImpl k && k.isValid()) {
                union |= k.nioInterestOps();
            }
        }
        return union;
    }

    /**
     * Polls for a moment if this is the only channel about which anything happened lately: many
     * answers come sooner than a selector can be woken. An event on another channel of the
     * selector, or a wake-up, ends it.
     */
    private void busyPoll(int ops) {
        SelectorPollPolicy w = watch;
        if (w != null
                && w.onlyOne(number)
                && w.mayBusyPoll(epoll.value())
                && connection.connectedStream() != null) {
            stream.busyPoll(streamOps(ops), w);
        }
    }

    /** Serves {@code translateAndSetReadyOps} and its kind: the descriptor was readable. */
    boolean translateReady(int initialOps, SelectionKeyImpl key) {
        SelectorPollPolicy w = watch;
        if (w == null || !w.isOf(key.selector())) {
            w = SelectorPollPolicy.of(key.selector());
            watch = w;
        }
        w.ready(number);
        int before = key.nioReadyOps();
        int fresh = readyOps() & key.nioInterestOps();
        int now = initialOps | fresh;
        misses = fresh != 0 ? 0 : misses + 1;
        if (held) {
            judgeHold(w, fresh != 0);
        }
        w.looked(number, fresh != 0);
        key.nioReadyOps(now);
        ChannelBridge.queueUpdate(key);
        return (now & ~before) != 0;
    }

    /** Ends a hold, as the selector is about to wait. Called by the poll policy. */
    void holdNoMore() {
        held = false;
        settle();
    }

    private void judgeHold(SelectorPollPolicy w, boolean cameInTime) {
        if (cameInTime) {
            w.heldWell();
        } else if (!w.patientAfter(misses)) {
            w.heldInVain();
        }
    }

    private int readyOps() {
        if (!channel.isOpen()) {
            return 0;
        }
        if (connection.connectable()) {
            return SelectionKey.OP_CONNECT;
        }
        int ready = connection.connectedStream() == null ? 0 : stream.ready();
        return ((ready & OffloadStream.READ) != 0 ? SelectionKey.OP_READ : 0)
                | ((ready & OffloadStream.WRITE) != 0 ? SelectionKey.OP_WRITE : 0);
    }

    /** Makes the descriptor readable exactly if something of interest is ready. */
    synchronized void settle() {
        if (silent) {
            return;
        }
        boolean ready;
        if (connection.connectable()) {
            ready = (interest & SelectionKey.OP_CONNECT) != 0;
        } else {
            int answer = connection.connectedStream() == null ? 0 : askStream();
            if ((answer & OffloadStream.RUNG) != 0) {
                return; // it is readable already
            }
            ready = answer != 0;
        }
        if (ready) {
            epoll.raise();
        } else {
            epoll.lower();
        }
    }

    private static int streamOps(int ops) {
        return ((ops & SelectionKey.OP_READ) != 0 ? OffloadStream.READ : 0)
                | ((ops & SelectionKey.OP_WRITE) != 0 ? OffloadStream.WRITE : 0);
    }

    /**
     * Returns the operations of interest that are ready, as {@link OffloadStream#requestNotify}
     * does; 0 = a notification comes.
     */
    private int askStream() {
        int ops = streamOps(interest);
        int ready = stream.requestNotify(ops);
        if (ready == OffloadStream.NO_DESCRIPTOR) {
            epoll.forgetOther();
        } else {
            epoll.heedOther(ready >= 0); // below 0 a thread of the provider serves that descriptor
        }
        return ready >= 0 ? ready : stream.arm(ops, this::onReady) ? 0 : ops;
    }

    /** Called by a thread of the provider, while the notify descriptor cannot be used. */
    private synchronized void onReady() {
        if (!silent && (readyOps() & interest) != 0) {
            epoll.raise();
        } else {
            settle(); // the call may come for no reason
        }
    }

    /** Ends the interest, as no key is left; {@link #translateInterest} begins anew. */
    synchronized void rest() {
        interest = 0;
        settle();
    }

    /** Shows nothing any more, as the channel is closed. */
    synchronized void silence() {
        if (!silent) {
            silent = true;
            epoll.forgetOther();
            epoll.lower();
        }
    }

    /** Gives the descriptors back; no selector knows them any more. */
    void close() throws IOException {
        silence();
        epoll.close();
    }
}
