package io.sdp4j.policy;

import java.util.List;

/** Settings of rules. */
public final class PolicySettings {
    public static final Setting POLICY =
            Setting.text("sdp4j.policy", "", "file")
                    .help("Rule file; empty: look in the usual places.");

    public static final Setting REQUIRED =
            Setting.flag("sdp4j.policy.required", false)
                    .help(
                            "While no rule file with rules is loaded, refuse what cannot be offloaded"
                                    + " instead of using kernel TCP.");

    public static final Setting PROGRAM =
            Setting.text("sdp4j.program", "", "name")
                    .help(
                            "Name that program patterns in rules are compared with; empty: main class or jar.");

    /** All of them. */
    public static final List<Setting> ALL = List.of(POLICY, REQUIRED, PROGRAM);

    private PolicySettings() {}
}
