package io.sdp4j.offload.nio;

import io.sdp4j.offload.jdk.SelectorPeek;
import java.lang.ref.WeakReference;
import java.nio.channels.Selector;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;

/**
 * What one selector was woken for lately, as far as offloaded channels know, and whether it has
 * anything else to do.
 *
 * <p>Shape: {@code last} is the number of the channel that was ready last, {@code times} how often
 * it was without another one in between. One for each selector, made at the first event there; all
 * of it belongs to the thread that selects.
 */
final class SelectorWatch implements BooleanSupplier {
    /** As many wake-ups for one channel in a row make it the only one. */
    private static final int IN_A_ROW = 8;

    private static final Map<Selector, SelectorWatch> ALL = new WeakHashMap<>();

    private final WeakReference<Selector> selector;
    private final SelectorPeek peek; // null = unable
    private int last;
    private int times;
    private int polling; // the descriptor of the channel that is being polled

    private SelectorWatch(Selector selector) {
        this.selector = new WeakReference<>(selector);
        peek = SelectorPeek.of(selector);
    }

    /** The one of {@code selector}; looks it up, so keep it. */
    static SelectorWatch of(Selector selector) {
        synchronized (ALL) {
            return ALL.computeIfAbsent(selector, SelectorWatch::new);
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
