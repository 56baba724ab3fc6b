package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.rdma.shm.ShmFabric;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the doctor says of the place where processes meet. */
final class MachineChecksTest {
    private static final Path PLACE = Path.of("/run/user/7/sdp4j");

    private static Check of(Path directory, String... passed) {
        return MachineChecks.rendezvous(
                new ShmFabric.MeetingPlace(directory, "found", List.of(passed)));
    }

    @Test
    void somebodyElsesFileIsAWarningWhileThereIsAnotherPlace() {
        assertEquals(Check.Verdict.OK, of(PLACE).verdict());
        Check squatted = of(PLACE, "/tmp/sdp4j-7 belongs to user 8");
        assertEquals(Check.Verdict.WARN, squatted.verdict());
        assertTrue(squatted.found().contains("belongs to user 8"), squatted.found());
        assertTrue(squatted.advice().contains("sdp4j.shm.dir"), squatted.advice());
    }

    @Test
    void noPlaceAtAllFails() {
        Check none = of(null, "/srv/sdp4j-7 is not a directory");
        assertEquals(Check.Verdict.FAIL, none.verdict());
        assertTrue(none.found().contains("not a directory"), none.found());
        assertEquals("found", of(null).found());
    }
}
