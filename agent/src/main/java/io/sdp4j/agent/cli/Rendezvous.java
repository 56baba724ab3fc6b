package io.sdp4j.agent.cli;

import io.sdp4j.policy.Environment;
import io.sdp4j.policy.Setting;
import io.sdp4j.policy.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Where the shared-memory fabric of this user has its listeners, found out without making it. */
final class Rendezvous {
    private Rendezvous() {}

    /** The setting, or the first of the usual places whose parent can be written to. */
    static Path directory() {
        Settings settings = Settings.of(Map.of(), line -> {});
        if (!settings.text(Setting.SHM_DIR).isEmpty()) {
            return Path.of(settings.text(Setting.SHM_DIR));
        }
        String runtime = Environment.system().variable().apply("XDG_RUNTIME_DIR");
        if (runtime != null && !runtime.isEmpty() && Files.isWritable(Path.of(runtime))) {
            return Path.of(runtime, "sdp4j");
        }
        Path memory = Path.of("/dev/shm");
        return (Files.isWritable(memory) ? memory : Path.of("/tmp")).resolve("sdp4j-" + uid());
    }

    private static Object uid() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException | UnsupportedOperationException e) {
            return System.getProperty("user.name");
        }
    }
}
