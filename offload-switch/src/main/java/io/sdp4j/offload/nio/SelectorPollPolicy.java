package io.sdp4j.offload.nio;

import io.sdp4j.offload.jdk.SelectorPeek;
import io.sdp4j.offload.spi.OffloadStream;
import java.lang.ref.WeakReference;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;

/**
 * The recent wake-ups of one selector, as far as offloaded channels know, and whether it has
 * anything else to do. Decides whether a channel may leave its descriptor readable and whether the
 * selecting thread may poll.
 *
 * <p>Shape: {@code last} is the number of the channel that was ready last, {@code times} how often
 * it was ready without another one in between. There is one object for each selector, made at the
 * first event there. All of it belongs to the thread that selects.
 *
 * <p>A selector alternates: it looks at the channels whose descriptors are readable, then asks each
 * of them for its interest, then waits. While it finds many channels ready, at once or one after
 * the other, it is busy. A channel that a busy selector asks <em>holds</em> its descriptor
 * readable, instead of asking its peer for another ring. So the next look comes without a wait, and
 * the peer need not ring. Before the selector waits, at least one of the channels that hold, or
 * another one, must be ready. If none is, and none becomes ready while the thread polls for a
 * moment, all channels that hold ask for a notification. This needs to know which channel is asked
 * last. If that cannot be told, because the last one is not ours or its key was cancelled, the
 * selector finds nothing a few times and the channels give up on their own. Nothing is lost in any
 * case, because a held descriptor is readable.
 */
final class SelectorPollPolicy implements BooleanSupplier {
    /** This many wake-ups for one channel in a row make it the only one. */
    private static final int IN_A_ROW = 8;

    /** This many channels ready at once make a selector busy. */
    private static final int MANY = 4;

    /** For each this many channels that hold, a busy look skips the question to the epoll once. */
    private static final int HELD_PER_LOOK = 8;

    /**
     * A channel that was looked at this many times in a row in vain is not worth looking at. A look
     * costs a tenth of a ring, and the side that has time looks often when little has come. But
     * where most looks are in vain, as with one request at a time on one of many connections, the
     * connection that is ready pays that tenth for each of the others. So the number falls with
     * each channel that was given up, and rises with each on which something came in time.
     */
    private static final int MOST_MISSES = 32;

    private static final int LEAST_MISSES = 1;

    private static final Map<Selector, SelectorPollPolicy> ALL = new WeakHashMap<>();

    private final WeakReference<Selector> selector;
    private final SelectorPeek peek; // null = the selector is of an unknown kind
    private int last;
    private int times;
    private int polling; // the descriptor of the channel that is being polled

    private final List<ReadinessFd> holding = new ArrayList<>(); // since asking began
    private boolean asking; // false = looking
    private int found; // ready channels in the last look
    private int lastFound; // number of the channel that was found last
    private int different; // ready channels in a row that differ from the one before; at most MANY
    private boolean busy;
    private boolean anyReady; // of the channels that hold
    private int patience = MOST_MISSES;

    private OffloadStream.BusyLook busyLook; // null = none known
    private int turn; // index in holding of the channel looked at last
    private final BooleanSupplier next = this::nextReady;
    private final BooleanSupplier elsewhere = this::elsewhere;
    private int unasked; // questions in a row for which a busy look did not ask the epoll
    private boolean wanted; // a busy look has found something else to do

    private SelectorPollPolicy(Selector selector) {
        this.selector = new WeakReference<>(selector);
        peek = SelectorPeek.of(selector);
    }

    /** Returns the policy of {@code selector}; looks it up, so callers keep it. */
    static SelectorPollPolicy of(Selector selector) {
        synchronized (ALL) {
            return ALL.computeIfAbsent(selector, SelectorPollPolicy::new);
        }
    }

    boolean isOf(Selector other) {
        return selector.refersTo(other);
    }

    /** Notes that the descriptor of channel {@code number} was readable. */
    void ready(int number) {
        if (last != number) {
            last = number;
            times = 0;
        } else if (times < IN_A_ROW) {
            times++;
        }
    }

    /** Notes the result of a look at channel {@code number}, whose descriptor was readable. */
    void looked(int number, boolean ready) {
        if (asking) {
            asking = false;
            found = 0;
            forget(); // what held serves the asking that is over
        }
        if (ready) {
            found++;
            if (number == lastFound) {
                different = 0;
            } else {
                lastFound = number;
                different = Math.min(different + 1, MANY);
            }
        }
    }

    /** Whether the channel that is being asked by the calling thread may {@link #hold}. */
    boolean mayHold() {
        Selector s = selector.get();
        if (peek == null || s == null || !Thread.holdsLock(s)) {
            return false;
        }
        if (!asking) {
            asking = true;
            forget();
            busy = found > 0 && (busy || found >= MANY || different == MANY);
        }
        return busy;
    }

    /** Whether a channel may hold once more after {@code misses} looks in vain. */
    boolean patientAfter(int misses) {
        return misses < patience;
    }

    /** Notes that something came on a channel that held. */
    void heldWell() {
        patience = Math.min(patience + 1, MOST_MISSES);
    }

    /** Notes that a channel that held is given up. */
    void heldInVain() {
        patience = Math.max(patience - 1, LEAST_MISSES);
    }

    /** Notes that the channel that is being asked leaves its descriptor readable. */
    void hold(ReadinessFd one, boolean ready) {
        holding.add(one);
        anyReady |= ready;
    }

    /**
     * Called after a channel was asked. If it was the last one, the selector is about to wait, and
     * holds that found nothing end.
     */
    void asked() {
        if (holding.isEmpty()) {
            return;
        }
        Selector s = selector.get();
        if (s == null || !Thread.holdsLock(s) || !SelectorPeek.asksNoMore(s)) {
            return;
        }
        if (!anyReady && !anyReadyNow() && !othersReady(s) && !anyReadySoon()) {
            busy = false;
            for (int i = 0; i < holding.size(); i++) {
                holding.get(i).holdNoMore();
            }
        }
        forget();
    }

    private void forget() {
        holding.clear();
        anyReady = false;
    }

    private boolean anyReadyNow() {
        for (int i = 0; i < holding.size(); i++) {
            if (holding.get(i).readyToRead()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Polls the channels that hold for a moment: a ring for each of them costs more time than their
     * peers need to send the next message.
     *
     * @return whether the selector need not wait
     */
    private boolean anyReadySoon() {
        if (Thread.currentThread().isVirtual()) {
            return false;
        }
        if (busyLook == null) {
            busyLook = holding.getFirst().stream.busyLook();
        }
        wanted = false;
        unasked = 0;
        return busyLook != null && (busyLook.look(holding.size(), next, elsewhere) || wanted);
    }

    /** Looks at one channel that holds; the busy look reads the clock between two calls. */
    private boolean nextReady() {
        turn = turn + 1 < holding.size() ? turn + 1 : 0;
        return holding.get(turn).readyToRead();
    }

    /**
     * Whether the thread is wanted elsewhere, for a busy look. To ask for other channels takes
     * longer the more channels hold, so it is done less often then.
     */
    private boolean elsewhere() {
        Selector s = selector.get();
        if (s == null || SelectorPeek.woken(s)) {
            wanted = true;
        } else if (++unasked > holding.size() / HELD_PER_LOOK) {
            unasked = 0;
            wanted = othersReady(s);
        }
        return wanted;
    }

    /** Whether the selector was woken, or has a channel that is ready and does not hold. */
    private boolean othersReady(Selector s) {
        return SelectorPeek.woken(s)
                || (SelectorPeek.keys(s) > holding.size() && peek.more(holding.size()));
    }

    /** Whether {@code number} is the only channel that was ready for a while. */
    boolean onlyOne(int number) {
        return last == number && times == IN_A_ROW;
    }

    /**
     * Whether the calling thread may poll for the channel behind {@code fdVal}. It may if it is a
     * platform thread that is selecting here, so that the selector cannot be closed meanwhile.
     */
    boolean mayBusyPoll(int fdVal) {
        Selector s = selector.get();
        if (peek == null
                || s == null
                || !Thread.holdsLock(s)
                || Thread.currentThread().isVirtual()) {
            return false;
        }
        polling = fdVal;
        return true;
    }

    /** Whether the selector has anything to report other than that the polled channel is ready. */
    @Override
    public boolean getAsBoolean() {
        return peek.anythingBut(polling);
    }
}
