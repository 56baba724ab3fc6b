package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.JvmCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: where the JVM denies native access, the fabric says so and makes no native call. Method: a
 * JVM of its own with {@code --illegal-native-access=deny}, in which such a call throws.
 */
@Timeout(60)
final class ShmDeniedTest {
    @Test
    void theFabricIsUnavailable() throws Exception {
        Process denied =
                JvmCommand.of(Denied.class)
                        .options("--illegal-native-access=deny")
                        .small()
                        .builder()
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String said = denied.inputReader().readLine();
        assertEquals(0, denied.waitFor());
        assertTrue(said.startsWith("UNAVAILABLE shared memory needs native calls: "), said);
        assertTrue(said.contains("start Java with --enable-native-access="), said);
    }
}
