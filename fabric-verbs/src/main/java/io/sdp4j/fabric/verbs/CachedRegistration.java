package io.sdp4j.fabric.verbs;

/**
 * A registration that several may use, and that may be kept while unused. Guarded by its keeper's
 * monitor; a {@link RegistrationHandle} asks some of it without the monitor.
 */
final class CachedRegistration {
    final KeptRegistrations.Key key;

    /** 0 = none: it was not made yet, or ended and is only remembered. */
    long registration;

    /** Users that were lent a part. */
    int partUsers;

    /** How often it was lent; 0 if it is of local use. */
    int times;

    private int users;

    /** The one use that may be left, or null. */
    private RegistrationHandle leaver;

    /** Whether the keeper knows it: it stays after its use. Read by any thread. */
    volatile boolean kept;

    private volatile boolean recent;

    CachedRegistration(KeptRegistrations.Key key) {
        this.key = key;
    }

    /** Whether it ends with its use all the same, as it may never be lent again. */
    boolean lentOnce() {
        return times == 1;
    }

    /** One more user, who stays until it is {@linkplain #remove removed}. */
    void add() {
        users++;
    }

    /** One more user; whether that user may leave it, as no other may. */
    boolean addLeaver(RegistrationHandle use) {
        users++;
        if (leaver == null) {
            leaver = use;
        }
        return leaver == use;
    }

    /** One user less. */
    void remove(RegistrationHandle use) {
        users--;
        if (leaver == use) {
            leaver = null;
        }
    }

    /** Whether it has users, present or not. */
    boolean used() {
        return users > 0;
    }

    /** Takes it from a user that has left it. */
    void takeBack() {
        if (leaver != null && leaver.endIfLeft()) {
            remove(leaver);
        }
    }

    /** Takes it from a user that has left it; whether it has no other. */
    boolean idle() {
        takeBack();
        return users == 0;
    }

    /** Users that have not left it. */
    int present() {
        return users - (leaver != null && leaver.isLeft() ? 1 : 0);
    }

    /** It is used just now. Any thread. */
    void touch() {
        recent = true;
    }

    /** Whether it was used since this was asked last. */
    boolean takeRecent() {
        boolean was = recent;
        recent = false;
        return was;
    }
}
