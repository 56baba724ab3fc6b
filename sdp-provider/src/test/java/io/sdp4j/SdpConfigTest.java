package io.sdp4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.api.SdpConfig;
import io.sdp4j.policy.Settings;
import io.sdp4j.stream.SdpSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Goal: the builder and the settings behind it agree about names and ranges. */
class SdpConfigTest {
    private static void accepted(SdpConfig.Builder builder) {
        List<String> complaints = new ArrayList<>();
        Settings.of(
                SdpSettings.ALL, builder.build().properties(), new Properties(), complaints::add);
        assertEquals(List.of(), complaints);
    }

    @Test
    void everyEndOfARangeIsASetting() {
        accepted(
                SdpConfig.builder()
                        .fabrics("verbs", "shm")
                        .connectTimeout(Duration.ofMillis(1))
                        .keepAlive(Duration.ofSeconds(1))
                        .buffers(4, 256)
                        .deviceBuffers(4, 256)
                        .maxMemory(1)
                        .sharedMemoryDirectory(Path.of("somewhere")));
        accepted(
                SdpConfig.builder()
                        .fabrics("shm")
                        .connectTimeout(Duration.ofMinutes(1))
                        .keepAlive(Duration.ofDays(1))
                        .buffers(64, 1 << 20)
                        .deviceBuffers(64, 1 << 20)
                        .maxMemory(1 << 24));
    }

    @Test
    void refusesWhatIsOutOfRange() {
        SdpConfig.Builder builder = SdpConfig.builder();
        List<Runnable> bad =
                List.of(
                        () -> builder.fabrics(),
                        () -> builder.fabrics("tcp"),
                        () -> builder.connectTimeout(Duration.ZERO),
                        () -> builder.connectTimeout(Duration.ofMillis(60_001)),
                        () -> builder.connectTimeout(ChronoUnit.FOREVER.getDuration()),
                        () -> builder.keepAlive(Duration.ofDays(2)),
                        () -> builder.buffers(3, 256),
                        () -> builder.buffers(4, 255),
                        () -> builder.deviceBuffers(65, 256),
                        () -> builder.maxMemory(0));
        bad.forEach(call -> assertThrows(IllegalArgumentException.class, call::run));
    }
}
