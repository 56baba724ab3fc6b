package io.sdp4j.agent.cli;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One line of the doctor.
 *
 * @param name what was looked at
 * @param verdict how bad it is
 * @param found what there is
 * @param advice what to do; empty: nothing
 * @param details the same for programs, as JSON has them; empty: nothing beside the sentence
 */
record Check(
        String name, Verdict verdict, String found, String advice, Map<String, Object> details) {
    /** How bad it is. */
    enum Verdict {
        /** Not looked at. */
        SKIP,
        /** As it should be. */
        OK,
        /** Offload works, but less, or not for everything. */
        WARN,
        /** Offload does not work. */
        FAIL
    }

    Check {
        if (verdict == Verdict.FAIL && advice.isBlank()) {
            throw new IllegalArgumentException(name + " fails without a word on what to do");
        }
    }

    static Check skip(String name, String why) {
        return new Check(name, Verdict.SKIP, why, "", Map.of());
    }

    static Check ok(String name, String found) {
        return new Check(name, Verdict.OK, found, "", Map.of());
    }

    static Check warn(String name, String found, String advice) {
        return new Check(name, Verdict.WARN, found, advice, Map.of());
    }

    static Check fail(String name, String found, String advice) {
        return new Check(name, Verdict.FAIL, found, advice, Map.of());
    }

    /** The same with details. */
    Check with(Map<String, Object> more) {
        return new Check(name, verdict, found, advice, more);
    }

    Map<String, Object> json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("check", name);
        map.put("verdict", verdict.name().toLowerCase(Locale.ROOT));
        map.put("found", found);
        map.put("advice", advice);
        if (!details.isEmpty()) {
            map.put("details", details);
        }
        return map;
    }
}
