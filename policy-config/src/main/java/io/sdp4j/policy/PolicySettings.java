package io.sdp4j.policy;

import java.util.List;

/** Settings of rules. */
public final class PolicySettings {
    /** Rule file. */
    public static final Setting POLICY =
            Setting.text("sdp4j.policy", "", "file", "Rule file; empty: look in the usual places.");

    /** Verdict while no rule file can be used. */
    public static final Setting REQUIRED =
            Setting.flag(
                    "sdp4j.policy.required",
                    false,
                    "While no rule file with rules is loaded, refuse what cannot be offloaded"
                            + " instead of using kernel TCP.");

    /** Name that program patterns of rules are compared with. */
    public static final Setting PROGRAM =
            Setting.text(
                    "sdp4j.program",
                    "",
                    "name",
                    "Name that program patterns in rules are compared with; empty: main class or jar.");

    /** All of them. */
    public static final List<Setting> ALL = List.of(POLICY, REQUIRED, PROGRAM);

    private PolicySettings() {}
}
