package io.sdp4j.offload.nio;

import io.sdp4j.offload.jdk.ChannelBridge;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * The selectors that know a channel, and the ways to make them see that its descriptor has become
 * another file.
 *
 * <p>A selector may have registered the kernel's socket before the channel connects. When the
 * number comes to stand for another file, the registration is gone with the old file. The selector
 * does not know that: it would only modify a registration that is not there any more. So it is told
 * once that nothing is of interest, which makes it remove the number, in vain. At once it is made
 * to ask again, and then adds the new file. This happens within one of its passes, between which it
 * does not wait.
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

    /**
     * Notes that the selector that asks is told of no interest, which a change of the channel may
     * end.
     */
    synchronized void noteAsker() {
        SelectionKey key = asking();
        if (key == null) {
            askedUnknown = true;
        } else if (!askers.contains(key)) {
            askers = with(askers, key);
        }
    }

    /**
     * Returns the key for whose selector this thread asks; null if the channel does not have it
     * yet.
     */
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
     * Takes the kernel's socket out of every selector: its number is about to stand for another
     * file, while the socket stays open. {@link #putBack} follows.
     */
    void takeOut(SelChImpl kernel) {
        forgetting = true; // first: a thread that asks from now on does not put it back
        SelectionKey[] keys = allKeys();
        List<SelectionKey> out = new ArrayList<>(keys.length); // first: there may be no memory
        takenOut = out;
        for (SelectionKey key : keys) {
            // waits for a selector that has asked before and is about to register the number
            if (key != null && ChannelBridge.takeOut(key, kernel.getFDVal())) {
                out.add(key);
            }
        }
    }

    /**
     * Makes selectors watch the number, which stands for another file now, even while they wait and
     * without waking them. A selector that has not asked yet registers the number itself when it
     * does. It is left alone here, as it would not know what to remove.
     */
    void putBack(SelChImpl now) {
        polled = false; // what is registered from here on is the new file
        forgetting = false;
        for (SelectionKey key : allKeys()) {
            if (key instanceof SelectionKeyImpl k && k.isValid()) {
                boolean put = false;
                try {
                    put = putBack(now, k);
                } catch (OutOfMemoryError e) {
                    // the selector registers the number itself when it asks
                }
                if (!put) {
                    ChannelBridge.queueUpdate(key);
                    key.selector().wakeup();
                }
            }
        }
        takenOut = List.of();
        synchronized (this) {
            askers = List.of();
        }
    }

    /** False if the selector must be made to ask. */
    private boolean putBack(SelChImpl now, SelectionKeyImpl key) {
        // puts nothing in: waits until the selector has asked, or asks anew; false = nothing can
        // be put into this kind
        boolean put = ChannelBridge.putIn(key, now.getFDVal(), () -> 0);
        if (put && (takenOut.contains(key) || asked(key))) {
            return ChannelBridge.putIn(
                    key, now.getFDVal(), () -> now.translateInterestOps(key.nioInterestOps()));
        }
        return put && !askedUnknown;
    }

    /**
     * Returns the keys. Waits for a registration that is under way, as its selector may have asked.
     */
    private SelectionKey[] allKeys() {
        boolean _ = channel.isRegistered(); // takes the lock that registering holds
        return ChannelBridge.keys(channel);
    }

    /** Whether a selector may have registered the kernel's socket. */
    boolean polled() {
        return polled;
    }

    /** Notes that a selector may have registered the kernel's socket before this object existed. */
    void mayBePolled() {
        polled = true;
    }

    /**
     * Serves {@code translateInterestOps} while the channel is the kernel's, which wants {@code
     * events}.
     */
    int interestInKernel(int events) {
        if (events != 0 && !polled) {
            polled = true;
        }
        return events;
    }

    /**
     * Serves {@code translateInterestOps} once the channel is not the kernel's. That method is not
     * told for which key it is called.
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

    /** Returns the key for which this thread asks, if it asks for it the first time; else null. */
    private synchronized SelectionKey asker() {
        SelectionKey key = asking();
        if (key == null || told.contains(key)) {
            return null;
        }
        told = with(told, key);
        return key;
    }

    /**
     * Called when an attempt begins. The kernel's socket reports a hang-up until it connects, so
     * selectors are made to take it out before their next wait. A selector that this misses takes
     * it out when it gets that report.
     */
    void quiet() {
        if (polled) {
            update(ChannelBridge.keys(channel), false);
        }
    }

    /** Makes every selector ask again now, as the interest has changed. */
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
