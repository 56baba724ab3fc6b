package io.sdp4j.offload.nio;

import io.sdp4j.offload.jdk.ChannelBridge;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * The selectors that know a channel, and how they come to see that it has become another.
 *
 * <p>A selector may have registered the kernel's socket before the channel connects. When the
 * number comes to stand for another file, the registration is gone with the one that it stood for,
 * which the selector does not know: it would only change what is not there any more. So it is told
 * once that nothing is of interest, which it takes for a reason to remove the number, in vain; and
 * at once it is made to ask again, when it adds the new file. This happens within one of its
 * passes, between which it does not wait.
 *
 * <p>A connection that moves takes the kernel's socket out of its selectors ({@link #takeOut}) and
 * puts the new file in ({@link #putBack}), also into those that wait.
 *
 * <p>{@code this} guards {@code told} and {@code askers}.
 */
final class KnownSelectors {
    private final SelectableChannel channel;
    private volatile boolean polled; // a selector has registered the kernel's socket
    private List<SelectionKey> told = List.of(); // keys whose selector knows the new file
    private volatile boolean forgetting; // the kernel's socket is being taken out
    private List<SelectionKey> askers = List.of(); // keys of selectors told of no interest for now
    private volatile boolean askedUnknown; // by a selector whose key the channel does not have yet
    private List<SelectionKey> takenOut = List.of(); // of the thread that takes out and puts back

    KnownSelectors(SelectableChannel channel) {
        this.channel = channel;
    }

    /** Whether selectors are to take no interest for the moment. By one that asks. */
    boolean forgetting() {
        if (!forgetting) {
            return false;
        }
        noteAsker();
        return true;
    }

    /** The selector that asks is told of no interest; a change may bring some. */
    synchronized void noteAsker() {
        SelectionKey key = asking();
        if (key == null) {
            askedUnknown = true;
        } else if (!askers.contains(key)) {
            askers = with(askers, key);
        }
    }

    /** The key for whose selector this thread asks, which has no other; null if it is not known. */
    private SelectionKey asking() {
        for (SelectionKey key : ChannelBridge.keys(channel)) {
            // read once: the channel takes keys out of its array
            if (key != null && key.isValid() && ChannelBridge.isUpdating(key)) {
                return key;
            }
        }
        return null;
    }

    private static List<SelectionKey> with(List<SelectionKey> keys, SelectionKey key) {
        List<SelectionKey> all = new ArrayList<>(keys);
        all.removeIf(k -> !k.isValid());
        all.add(key);
        return all;
    }

    private synchronized boolean asked(SelectionKey key) {
        return askers.contains(key);
    }

    /**
     * The number of the kernel's socket is about to stand for another file, while the socket stays
     * open: takes it out of every selector. {@link #putBack} follows.
     */
    void takeOut(SelChImpl kernel) {
        forgetting = true; // first: a thread that asks from now on does not put it back
        List<SelectionKey> out = new ArrayList<>();
        takenOut = out;
        for (SelectionKey key : allKeys()) {
            // waits for one that has asked before and is about to put it in
            if (key != null && ChannelBridge.takeOut(key, kernel.getFDVal())) {
                out.add(key);
            }
        }
    }

    /**
     * The number stands for another file, which selectors are to watch, those that wait too, and
     * without being woken. One that has not asked yet registers the number by itself when it does,
     * and would not know what to remove if it was put in here.
     */
    void putBack(SelChImpl now) {
        polled = false; // what is registered from here on is the new file
        forgetting = false;
        for (SelectionKey key : allKeys()) {
            if (key instanceof SelectionKeyImpl k && k.isValid()) {
                // puts nothing in: waits until the selector has asked, or asks anew; false =
                // nothing can be put into this kind
                boolean put = ChannelBridge.putIn(key, now.getFDVal(), () -> 0);
                if (put && (takenOut.contains(key) || asked(key))) {
                    put =
                            ChannelBridge.putIn(
                                    key,
                                    now.getFDVal(),
                                    () -> now.translateInterestOps(k.nioInterestOps()));
                } else {
                    put &= !askedUnknown;
                }
                if (!put) {
                    ChannelBridge.queueUpdate(key);
                    key.selector().wakeup();
                }
            }
        }
    }

    /** The keys; waits for a registration that is under way, whose selector may have asked. */
    private SelectionKey[] allKeys() {
        boolean _ = channel.isRegistered(); // takes the lock that registering holds
        return ChannelBridge.keys(channel);
    }

    /** Whether a selector may have registered the kernel's socket. */
    boolean polled() {
        return polled;
    }

    /** A selector may have registered the kernel's socket before this was there. */
    void mayBePolled() {
        polled = true;
    }

    /** For {@code translateInterestOps} while the channel is the kernel's, which wants those. */
    int interestInKernel(int events) {
        if (events != 0 && !polled) {
            polled = true;
        }
        return events;
    }

    /**
     * For {@code translateInterestOps} once it is not, which is not told for which key it is
     * called.
     *
     * @return whether the selector that asks is to be told that nothing is of interest
     */
    boolean unknownToAsker() {
        SelectionKey asker = polled ? asker() : null;
        if (asker == null) {
            return false;
        }
        ChannelBridge.queueUpdate(asker);
        return true;
    }

    /** The key for which this thread asks, the first time it does; else null. */
    private synchronized SelectionKey asker() {
        SelectionKey key = asking();
        if (key == null || told.contains(key)) {
            return null;
        }
        told = with(told, key);
        return key;
    }

    /**
     * An attempt begins. The kernel's socket reports a hang-up as long as it does not connect:
     * makes selectors take it out before they wait next. One that this misses is made to by that
     * report.
     */
    void quiet() {
        if (polled) {
            update(ChannelBridge.keys(channel), false);
        }
    }

    /** The interest has changed: makes every selector ask again, now. */
    void nudge() {
        update(allKeys(), true);
    }

    private static void update(SelectionKey[] keys, boolean wake) {
        for (SelectionKey key : keys) {
            if (key != null && key.isValid()) {
                ChannelBridge.queueUpdate(key);
                if (wake) {
                    key.selector().wakeup();
                }
            }
        }
    }
}
