package io.sdp4j.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BusyLoopsTest {
    @Test
    void runUntilTheyAreClosed() throws Exception {
        List<ProcessHandle> before = ProcessHandle.current().children().toList();
        List<ProcessHandle> loops;
        try (BusyLoops _ = new BusyLoops(2)) {
            loops =
                    ProcessHandle.current()
                            .children()
                            .filter(child -> !before.contains(child))
                            .toList();
            assertEquals(2, loops.size());
            await().until(() -> loops.stream().allMatch(BusyLoopsTest::isBusy));
        }
        for (ProcessHandle loop : loops) {
            loop.onExit().get(15, TimeUnit.SECONDS);
        }
    }

    private static boolean isBusy(ProcessHandle loop) {
        assertTrue(loop.isAlive());
        return loop.info().totalCpuDuration().orElseThrow().toMillis() >= 100;
    }

    /** Goal: a killed benchmark leaves none behind. Method: another process has the loop. */
    @Test
    void endWithTheirParent() throws Exception {
        List<String> command = new ArrayList<>();
        command.addAll(List.of("/bin/sh", "-c", "\"$@\" $$ >/dev/null & echo $!; wait", "parent"));
        command.addAll(BusyLoops.COMMAND);
        Process parent = new ProcessBuilder(command).start();
        ProcessHandle loop;
        try (var said = parent.inputReader(UTF_8)) {
            loop = ProcessHandle.of(Long.parseLong(said.readLine())).orElseThrow();
        } finally {
            parent.destroyForcibly().waitFor();
        }
        try {
            await().until(() -> !runs(Path.of("/proc", "" + loop.pid(), "cmdline")));
        } finally {
            loop.destroyForcibly();
        }
    }

    /** A process that has ended and is still listed has no command line. */
    private static boolean runs(Path commandLine) {
        try {
            return Files.readAllBytes(commandLine).length > 0;
        } catch (IOException gone) {
            return false;
        }
    }
}
