package io.sdp4j.fabric.verbs;

/**
 * A registration that several may use, and that may be kept while unused. Guarded by its keeper's
 * monitor; a {@link RegistrationHandle} asks some of it without the monitor.
 */
abstract class CachedRegistration {
    private int users;

    /** The one use that may be left, or null. */
    private RegistrationHandle leaver;

    private volatile boolean kept;
    private volatile boolean recent;

    /** One more user, who stays until it is {@linkplain #remove removed}. */
    final void add() {
        users++;
    }

    /** One more user; whether that user may leave it, as no other may. */
    final boolean addLeaver(RegistrationHandle use) {
        users++;
        if (leaver == null) {
            leaver = use;
        }
        return leaver == use;
    }

    /** One user less. */
    final void remove(RegistrationHandle use) {
        users--;
        if (leaver == use) {
            leaver = null;
        }
    }

    /** Whether it has users, present or not. */
    final boolean used() {
        return users > 0;
    }

    /** Takes it from a user that has left it. */
    final void takeBack() {
        if (leaver != null && leaver.endIfLeft()) {
            remove(leaver);
        }
    }

    /** Takes it from a user that has left it; whether it has no other. */
    final boolean idle() {
        takeBack();
        return users == 0;
    }

    /** Users that have not left it. */
    final int present() {
        return users - (leaver != null && leaver.isLeft() ? 1 : 0);
    }

    /** Whether the keeper knows it: it stays after its use. Any thread. */
    final boolean kept() {
        return kept;
    }

    final void setKept(boolean on) {
        kept = on;
    }

    /** It is used just now. Any thread. */
    final void touch() {
        recent = true;
    }

    /** Whether it was used since this was asked last. */
    final boolean takeRecent() {
        boolean was = recent;
        recent = false;
        return was;
    }
}
