package io.sdp4j.fabric.verbs;

/**
 * A registration that several users may share, and that may be kept while it is unused. Guarded by
 * its keeper's monitor; a {@link RegistrationHandle} reads the volatile fields without it.
 */
final class CachedRegistration {
    final KeptRegistrations.Key key;

    /** 0 = none: it was not made yet, or has ended and is only remembered. */
    long registration;

    /** Users that were lent a part of the memory. */
    int partUsers;

    /** How often the memory was lent, 2 at most; 0 if the registration is for local use. */
    int times;

    private int users;

    /** The one use that its user may leave, or null. */
    private RegistrationHandle leaver;

    /** Whether the keeper keeps this registration after its use. Read by any thread. */
    volatile boolean kept;

    private volatile boolean recent;

    CachedRegistration(KeptRegistrations.Key key) {
        this.key = key;
    }

    /**
     * Whether the memory was lent only once. The registration then ends with its use even if it is
     * kept, because the memory may never be lent again.
     */
    boolean lentOnce() {
        return times == 1;
    }

    /** Adds a user that cannot leave, until it is {@linkplain #remove removed}. */
    void add() {
        users++;
    }

    /** Adds a user. Returns whether this user may leave; only one user may. */
    boolean addLeaver(RegistrationHandle use) {
        users++;
        if (leaver == null) {
            leaver = use;
        }
        return leaver == use;
    }

    /** Removes a user. */
    void remove(RegistrationHandle use) {
        users--;
        if (leaver == use) {
            leaver = null;
        }
    }

    /** Whether there are users, including one that has left. */
    boolean used() {
        return users > 0;
    }

    /** Ends the use of a user that has left. */
    void takeBack() {
        if (leaver != null && leaver.endIfLeft()) {
            remove(leaver);
        }
    }

    /** Ends the use of a user that has left. Returns whether there is no other user. */
    boolean idle() {
        takeBack();
        return users == 0;
    }

    /** Number of users that have not left. */
    int present() {
        return users - (leaver != null && leaver.isLeft() ? 1 : 0);
    }

    /** Notes a use. Any thread. */
    void touch() {
        recent = true;
    }

    /** Whether there was a use since the last call. */
    boolean takeRecent() {
        boolean was = recent;
        recent = false;
        return was;
    }
}
