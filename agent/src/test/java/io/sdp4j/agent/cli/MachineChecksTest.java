package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.shm.Diagnosis;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The doctor's findings about the place where processes meet. */
final class MachineChecksTest {
    private static final Path PLACE = Path.of("/run/user/7/sdp4j");

    private static Check of(Path directory, String... passed) {
        return MachineChecks.rendezvous(
                new Diagnosis.MeetingPlace(directory, "found", List.of(passed)));
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

    @Test
    void aMemfdIsLookedFor() {
        Diagnosis.Fact denied = new Diagnosis.Fact("native access", false, "denied here");
        assertEquals(Check.Verdict.SKIP, MachineChecks.memfd(List.of(denied)).verdict());
        assertEquals("not looked for: denied here", MachineChecks.memfd(List.of(denied)).found());
        Diagnosis.Fact made = new Diagnosis.Fact("memfd", true, "made");
        assertEquals(Check.Verdict.OK, MachineChecks.memfd(List.of(denied, made)).verdict());
        Diagnosis.Fact refused = new Diagnosis.Fact("memfd", false, "memfd_create: EPERM");
        Check fails = MachineChecks.memfd(List.of(denied, refused));
        assertEquals(Check.Verdict.FAIL, fails.verdict());
        assertTrue(fails.found().startsWith("memfd_create: EPERM"), fails.found());
    }

    @Test
    void noFailureIsWithoutAnAction() {
        for (String nothing : List.of("", " ")) {
            assertThrows(IllegalArgumentException.class, () -> Check.fail("x", "broken", nothing));
        }
    }
}
