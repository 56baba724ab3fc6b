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
 * Recent wake-ups of one selector, as far as offloaded channels know, and whether it has anything
 * else to do.
 *
 * <p>Shape: {@code last} is the number of the channel that was ready last, {@code times} how often
 * it was without another one in between. One for each selector, made at the first event there; all
 * of it belongs to the thread that selects.
 *
 * <p>A selector alternates: it looks at the channels whose descriptors are readable, and then asks
 * each of them what it is interested in, before it waits. While it finds many channels ready, at
 * once or one after the other, it is busy: when asked, a channel <em>holds</em> its descriptor
 * readable instead of asking its peer for another ring, so the next look comes without a wait and
 * the peer need not ring. Before a wait at least one of those that hold must be ready, or another
 * one. If none is, nor becomes so while the thread polls for a moment, all of them ask for a
 * notification. That needs to know which channel is asked last; where it cannot be told, because
 * the last one is not ours or its key was cancelled, the selector finds nothing a few times and the
 * channels give up on their own. Nothing is lost in any case, because what is held is readable.
 */
final class SelectorPollPolicy implements BooleanSupplier {
    /** As many wake-ups for one channel in a row make it the only one. */
    private static final int IN_A_ROW = 8;

    /** So many channels ready at once make a selector busy. */
    private static final int MANY = 4;

    /** So many channels that hold may be looked at in the time between two such questions. */
    private static final int HELD_PER_LOOK = 8;

    /**
     * A channel of which nothing came so many times in a row is not worth looking at. A look costs
     * a tenth of a ring, and the side that has time looks often, when little has come; but where
     * most looks are in vain, as with one request at a time on one of many connections, that tenth
     * is paid for each of them by the one that is ready. So the number falls with each channel that
     * was given up, and rises with each of which something came in time.
     */
    private static final int MOST_MISSES = 32;

    private static final int LEAST_MISSES = 1;

    private static final Map<Selector, SelectorPollPolicy> ALL = new WeakHashMap<>();

    private final WeakReference<Selector> selector;
    private final SelectorPeek peek; // null = unable
    private int last;
    private int times;
    private int polling; // the descriptor of the channel that is being polled

    private final List<ReadinessFd> holding = new ArrayList<>(); // since asking began
    private boolean asking; // else looking
    private int found; // ready channels in the last look
    private int lastFound; // number of the last one
    private int different; // how many in a row, at most MANY, each another one than before
    private boolean busy;
    private boolean anyReady; // of those that hold
    private int patience = MOST_MISSES;

    private OffloadStream.BusyLook busyLook; // null = none known
    private int turn; // which of those that hold is looked at next
    private final BooleanSupplier next = this::nextReady;
    private final BooleanSupplier elsewhere = this::elsewhere;
    private int unasked; // how often a busy look has asked only for a wake-up in a row
    private boolean wanted; // a busy look has found something else to do

    private SelectorPollPolicy(Selector selector) {
        this.selector = new WeakReference<>(selector);
        peek = SelectorPeek.of(selector);
    }

    /** The one of {@code selector}; looks it up, so keep it. */
    static SelectorPollPolicy of(Selector selector) {
        synchronized (ALL) {
            return ALL.computeIfAbsent(selector, SelectorPollPolicy::new);
        }
    }

    boolean isOf(Selector other) {
        return selector.refersTo(other);
    }

    /** Channel {@code number} is ready. */
    void ready(int number) {
        if (last != number) {
            last = number;
            times = 0;
        } else if (times < IN_A_ROW) {
            times++;
        }
    }

    /** Channel {@code number}, whose descriptor was readable, was looked at. */
    void looked(int number, boolean ready) {
        if (asking) {
            asking = false;
            found = 0;
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

    /** Whether a channel may hold once more that was looked at so often in vain. */
    boolean patientAfter(int misses) {
        return misses < patience;
    }

    /** Something came of a channel that held. */
    void heldWell() {
        patience = Math.min(patience + 1, MOST_MISSES);
    }

    /** A channel that held is given up. */
    void heldInVain() {
        patience = Math.max(patience - 1, LEAST_MISSES);
    }

    /** The channel that is being asked leaves its descriptor readable. */
    void hold(ReadinessFd one, boolean ready) {
        holding.add(one);
        anyReady |= ready;
    }

    /** A channel was asked: if that was the last one, the selector is about to wait. */
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
     * A ring for each of many channels costs more than their peers need to say the next thing:
     * looks for that for a moment, which is worth it as long as the rings would have cost.
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

    /** Looks at one of those that hold: the clock wants to be looked at in between. */
    private boolean nextReady() {
        turn = turn + 1 < holding.size() ? turn + 1 : 0;
        return holding.get(turn).readyToRead();
    }

    /** For a busy look. To ask for other channels takes the longer the more of them hold. */
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
     * Whether the calling thread may poll for the channel behind {@code fdVal}: it is a platform
     * thread that is selecting here, so that the selector cannot be closed meanwhile.
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

    /** Whether the selector has anything to tell but that the channel being polled is ready. */
    @Override
    public boolean getAsBoolean() {
        return peek.anythingBut(polling);
    }
}
