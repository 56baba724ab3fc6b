package io.sdp4j.agent;

import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.policy.Setting;
import io.sdp4j.policy.Settings;
import io.sdp4j.stream.SdpSettings;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The agent's settings. The shim reads some of them earlier, by their names. */
public final class AgentSettings {
    static final Setting REPORT =
            Setting.text("sdp4j.report", "", "file")
                    .help("JSON report written at exit; empty: none.");

    static final Setting LOG_LEVEL =
            Setting.choice("sdp4j.log.level", "off, error, warn, info, debug, trace", "warn")
                    .help(
                            "Least severe level that is logged. Without log.file, records that the"
                                    + " application's logging is too slow to take are dropped and"
                                    + " counted.");

    static final Setting LOG_FILE =
            Setting.text("sdp4j.log.file", "", "file")
                    .help(
                            "File to append log records to and, once the switch has started, the warnings"
                                    + " meant for stderr, even with sdp4j.quiet; empty: System.Logger, and"
                                    + " stderr for records below warn that it would drop. In a directory"
                                    + " that others can write to it must be new, or a regular file of this"
                                    + " user or root. A System.Logger that a shutdown hook closes, as"
                                    + " java.util.logging's FileHandler, may lack the last records.");

    static final Setting QUIET =
            Setting.flag("sdp4j.quiet", false)
                    .help(
                            "Print no warning on stderr, not even why offload is off;"
                                    + " log records are not affected.");

    static final Setting JMX =
            Setting.flag("sdp4j.jmx", true).help("Register the report as a JMX bean.");

    static final Setting CHANNELS_ENABLED =
            Setting.flag("sdp4j.channels.enabled", true)
                    .help(
                            "Offload SocketChannel and ServerSocketChannel; read when the agent starts.");

    static final Setting ASYNC_ENABLED =
            Setting.flag("sdp4j.async.enabled", true)
                    .help("Offload asynchronous channels; read when the agent starts.");

    static final Setting PLUGINS =
            Setting.text("sdp4j.plugins", "", "directory")
                    .help(
                            "Directory (full path) of plug-ins for more fabrics and protocols; their code"
                                    + " runs with the agent's rights; empty: none.");

    /**
     * The settings of the agent and of every other module, as the tables of the documents list
     * them.
     */
    static final List<Setting> ALL =
            Settings.join(
                    List.of(
                            REPORT,
                            LOG_LEVEL,
                            LOG_FILE,
                            QUIET,
                            JMX,
                            CHANNELS_ENABLED,
                            ASYNC_ENABLED,
                            PLUGINS),
                    SdpSettings.ALL);

    private AgentSettings() {}

    /**
     * Returns the policy that says when connections leave TCP.
     *
     * @param sink told if the operator's text is not valid
     */
    static UpgradePolicy upgrade(Settings settings, Consumer<String> sink) {
        try {
            return UpgradePolicy.of(settings.text(SwitchSettings.UPGRADE));
        } catch (IllegalArgumentException e) {
            String id = SwitchSettings.UPGRADE.id();
            sink.accept("sdp4j: " + id + ": " + e.getMessage() + "; using auto");
            return UpgradePolicy.of("auto");
        }
    }

    /** Returns the directory of plug-ins that this JVM's own properties name; empty = none. */
    public static String pluginsOfThisJvm() {
        return Settings.of(List.of(PLUGINS), Map.of(), line -> {}).text(PLUGINS);
    }

    /** Whether the value of an option names a file or a directory. */
    public static boolean isPath(String key) {
        for (Setting setting : ALL) {
            if (key.equals(setting.id()) || key.equals(setting.option())) {
                return setting.unit().equals("file") || setting.unit().equals("directory");
            }
        }
        return false;
    }
}
