package io.sdp4j.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.testing.JvmCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: where the JDK's wake-up signal does nothing, the fabric is not there, and says why. Method:
 * a JVM of its own that ignores the signal.
 */
@Timeout(60)
class VerbsSignalTest {
    @Test
    void theFabricIsUnavailable() throws Exception {
        Process deaf =
                JvmCommand.of(Deaf.class)
                        .options("--enable-native-access=ALL-UNNAMED")
                        .small()
                        .builder()
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String said = deaf.inputReader().readLine();
        assertEquals(0, deaf.waitFor());
        assertEquals(
                "UNAVAILABLE RDMA needs the signal by which the JDK ends blocking calls (62), but"
                        + " other code in this process handles it",
                said);
    }
}
