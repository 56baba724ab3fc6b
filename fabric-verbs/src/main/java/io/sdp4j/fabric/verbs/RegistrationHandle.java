package io.sdp4j.fabric.verbs;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * The use of a registration by one region. The user may leave it and come back to it, if it was not
 * ended meanwhile, without a lock and without looking for it.
 *
 * <p>Shape: in use, left, or over, which it stays. The user leaves and comes back; the keeper ends
 * what is left ({@link #endIfLeft}); either of them can end it in any state ({@link #end}), once.
 */
final class RegistrationHandle {
    private static final int IN_USE = 0;
    private static final int LEFT = 1;
    private static final int OVER = 2;
    private static final AtomicIntegerFieldUpdater<RegistrationHandle> STATE =
            AtomicIntegerFieldUpdater.newUpdater(RegistrationHandle.class, "state");

    private volatile int state;

    final CachedRegistration entry;

    /** It was lent a part. */
    final boolean ofPart;

    private final KeptRegistrations keeper;
    private final boolean leavable;

    /** Or null. */
    private Runnable onOver;

    /** Takes the entry. */
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
     * Before anybody else knows it.
     *
     * @param task runs when it is over, in whatever thread ends it, and must not wait for anything
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
     * The user does not need it just now.
     *
     * @return false if it is not worth keeping: the user ends it
     */
    boolean leave() {
        if (!mayBeLeft()) {
            return false;
        }
        entry.touch();
        if (!STATE.compareAndSet(this, IN_USE, LEFT)) {
            return false;
        }
        // Asked again, as the keeper first says that it keeps nothing more and then looks for what
        // is left: one of us sees the other.
        return mayBeLeft() || !STATE.compareAndSet(this, LEFT, IN_USE);
    }

    /** The user needs it again; false if that is not possible any more. */
    boolean comeBack() {
        return STATE.compareAndSet(this, LEFT, IN_USE);
    }

    /** The keeper wants it back; whether it was left, and is over now. It is not released. */
    boolean endIfLeft() {
        boolean ended = STATE.compareAndSet(this, LEFT, OVER);
        if (ended) {
            tellOver();
        }
        return ended;
    }

    /** Ends it, and releases the registration. Idempotent. */
    void end() {
        if (STATE.getAndSet(this, OVER) != OVER) {
            keeper.release(this);
            tellOver();
        }
    }

    /** As {@link #end}, and the registration ends with it if it has no other user. */
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

    /** Whether it will be ended if the user does not come back. */
    private boolean mayBeLeft() {
        return leavable && keeper.sweeping && entry.kept;
    }
}
