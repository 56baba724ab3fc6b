package io.sdp4j.fabric.shm;

import io.sdp4j.policy.Setting;
import io.sdp4j.policy.Settings;
import java.nio.file.Path;
import java.util.List;

/** Settings of shared memory, for operators and tests. */
public final class ShmSettings {
    public static final Setting ENABLED =
            Setting.flag("sdp4j.shm.enabled", true).help("Use the shared-memory fabric.");

    public static final Setting DIR =
            Setting.text("sdp4j.shm.dir", "", "directory")
                    .help(
                            "Directory where each user's processes meet, in a subdirectory; empty:"
                                    + " automatic.");

    public static final Setting MEMORY_MAX_MB =
            Setting.number("sdp4j.memory.max.mb", 0, 0, 16_777_216, "MiB")
                    .help(
                            "Most shared memory that this process may use; a connection counts 16 KiB of"
                                    + " each buffer, and all of it once it sends long messages; 0: 16384.");

    public static final Setting SLEEP_TOGETHER =
            Setting.flag("sdp4j.internal.sleep.together", true)
                    .help(
                            "Let two threads that only answer each other sleep on one processor if no"
                                    + " thread spins and this is faster, or yield to each other if all"
                                    + " processors are busy (shared memory; a thread with a CPU mask set"
                                    + " from outside keeps it).");

    /** All of them. */
    public static final List<Setting> ALL = List.of(ENABLED, DIR, MEMORY_MAX_MB, SLEEP_TOGETHER);

    private ShmSettings() {}

    /**
     * Returns the values of the settings, with defaults for parts that are no setting of this
     * module.
     */
    public static ShmConfig config(Settings settings) {
        ShmConfig defaults = ShmConfig.defaults();
        String directory = settings.text(DIR);
        long memoryMb = settings.longValue(MEMORY_MAX_MB);
        return new ShmConfig(
                directory.isEmpty() ? null : Path.of(directory),
                defaults.spinMaxNanos(),
                defaults.spinnersMax(),
                memoryMb == 0 ? defaults.memoryMaxBytes() : memoryMb << 20,
                settings.flag(SLEEP_TOGETHER));
    }
}
