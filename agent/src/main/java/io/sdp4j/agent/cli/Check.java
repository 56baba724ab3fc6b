package io.sdp4j.agent.cli;

/**
 * One line of the doctor.
 *
 * @param name what was looked at
 * @param verdict how bad it is
 * @param found what there is
 * @param advice what to do; empty: nothing
 */
record Check(String name, Verdict verdict, String found, String advice) {
    /** How bad it is. */
    enum Verdict {
        /** As it should be. */
        OK,
        /** Offload works, but less, or not for everything. */
        WARN,
        /** Offload does not work. */
        FAIL
    }

    static Check ok(String name, String found) {
        return new Check(name, Verdict.OK, found, "");
    }

    static Check warn(String name, String found, String advice) {
        return new Check(name, Verdict.WARN, found, advice);
    }

    static Check fail(String name, String found, String advice) {
        return new Check(name, Verdict.FAIL, found, advice);
    }
}
