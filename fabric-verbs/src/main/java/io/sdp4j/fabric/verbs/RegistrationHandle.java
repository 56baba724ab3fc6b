package io.sdp4j.fabric.verbs;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * The use of a registration by one region. The user may leave the registration and come back to it,
 * if it was not ended in between, without a lock and without a look-up.
 *
 * <p>States: in use, left, or over, which is final. The user leaves and comes back; the keeper ends
 * a use that was left ({@link #endIfLeft}); either of them can end it in any state ({@link #end}),
 * once.
 */
final class RegistrationHandle {
    private static final int IN_USE = 0;
    private static final int LEFT = 1;
    private static final int OVER = 2;
    private static final AtomicIntegerFieldUpdater<RegistrationHandle> STATE =
            AtomicIntegerFieldUpdater.newUpdater(RegistrationHandle.class, "state");

    private volatile int state;

    final CachedRegistration entry;

    /** The use is that of a part of the registered memory. */
    final boolean ofPart;

    private final KeptRegistrations keeper;
    private final boolean leavable;

    /** Runs when the use is over; or null. */
    private Runnable onOver;

    /** Becomes a user of {@code entry}. */
    RegistrationHandle(KeptRegistrations keeper, CachedRegistration entry, boolean ofPart) {
        this.keeper = keeper;
        this.entry = entry;
        this.ofPart = ofPart;
        if (ofPart || entry.lentOnce()) {
            entry.add();
            leavable = false;
        } else {
            leavable = entry.addLeaver(this);
        }
    }

    /**
     * Sets the task that runs when the use is over. Called before another thread can know this
     * object.
     *
     * @param task runs on the thread that ends the use, and must not wait for anything
     */
    void whenOver(Runnable task) {
        onOver = task;
    }

    long registration() {
        return entry.registration;
    }

    boolean inUse() {
        return state == IN_USE;
    }

    boolean isLeft() {
        return state == LEFT;
    }

    /**
     * Called when the user does not need the registration for now.
     *
     * @return false if the registration is not worth keeping; the user then ends the use
     */
    boolean leave() {
        if (!mayBeLeft()) {
            return false;
        }
        entry.touch();
        if (!STATE.compareAndSet(this, IN_USE, LEFT)) {
            return false;
        }
        // Asked again, because the keeper first says that it keeps nothing more and then looks for
        // left uses: one of the two threads sees the other.
        return mayBeLeft() || !STATE.compareAndSet(this, LEFT, IN_USE);
    }

    /** Called when the user needs the registration again; false if the use was ended. */
    boolean comeBack() {
        return STATE.compareAndSet(this, LEFT, IN_USE);
    }

    /**
     * Ends a use that was left, for the keeper. Returns whether it was left. Does not release it.
     */
    boolean endIfLeft() {
        boolean ended = STATE.compareAndSet(this, LEFT, OVER);
        if (ended) {
            tellOver();
        }
        return ended;
    }

    /** Ends the use and releases the registration. Idempotent. */
    void end() {
        if (STATE.getAndSet(this, OVER) != OVER) {
            keeper.release(this);
            tellOver();
        }
    }

    /** As {@link #end}; the registration ends, too, if it has no other user. */
    void discard() {
        if (STATE.getAndSet(this, OVER) != OVER) {
            keeper.dropIfKept(entry);
            keeper.release(this);
            tellOver();
        }
    }

    private void tellOver() {
        if (onOver != null) {
            onOver.run();
        }
    }

    /** Whether the user may leave: the use will then be ended if the user does not come back. */
    private boolean mayBeLeft() {
        return leavable && keeper.sweeping && entry.kept;
    }
}
