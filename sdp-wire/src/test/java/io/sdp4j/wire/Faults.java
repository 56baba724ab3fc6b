package io.sdp4j.wire;

/**
 * Faults that may happen in a run.
 *
 * @param ends applications shut and close at any time
 * @param failures queue pairs break, set-up ends early, applications abort
 * @param wildTimers timers fire before anything else had a chance
 * @param lies messages are replaced on their way
 * @param lending buffers are lent in both directions, modes change
 * @param suspended sessions are suspended by either side, and resumed
 */
record Faults(
        boolean ends,
        boolean failures,
        boolean wildTimers,
        boolean lies,
        boolean lending,
        boolean suspended) {
    static final Faults NONE = new Faults(false, false, false, false, false, false);
    static final Faults ENDS = new Faults(true, false, false, false, false, false);
    static final Faults ALL = new Faults(true, true, true, false, false, false);
    static final Faults LIES = new Faults(true, true, true, true, false, false);

    /** The same, with buffers lent. */
    Faults lent() {
        return new Faults(ends, failures, wildTimers, lies, true, suspended);
    }

    /** The same, with suspended sessions. */
    Faults suspending() {
        return new Faults(ends, failures, wildTimers, lies, lending, true);
    }
}
