package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a name that is published while its JVM ends does not outlive the JVM. */
final class NamesAtExitTest extends ShmDirectory {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aListenerOfTheLastMomentLeavesNoName(boolean another) throws Exception {
        Process ending = Peer.start(LateListener.class, dir, String.valueOf(another));
        assertEquals("listened", ending.inputReader().readLine());
        assertEquals(0, ending.waitFor());
        assertEquals(List.of(), names());
    }
}
