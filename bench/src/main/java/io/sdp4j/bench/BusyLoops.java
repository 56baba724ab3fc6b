package io.sdp4j.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Endless loops that compete for the processors with the programs that are measured, each in a
 * process of its own. Each looks for its parent now and then, so that none outlives this JVM, also
 * when it is killed.
 */
final class BusyLoops implements AutoCloseable {
    /**
     * A loop that ends some hundredths of a second after the process whose number is appended. The
     * shell's own PPID would be wrong if that ended before the shell had begun.
     */
    static final List<String> COMMAND =
            List.of(
                    "/bin/sh",
                    "-c",
                    "while kill -0 $1 2>/dev/null; do"
                            + " n=0; while [ $n -lt 50000 ]; do n=$((n+1)); done; done",
                    "loop");

    private final List<Process> loops = new ArrayList<>();

    /** Starts so many. */
    BusyLoops(int count) throws IOException {
        List<String> command = new ArrayList<>(COMMAND);
        command.add(String.valueOf(ProcessHandle.current().pid()));
        try {
            for (int i = 0; i < count; i++) {
                loops.add(new ProcessBuilder(command).start());
            }
        } catch (IOException failed) {
            close();
            throw failed;
        }
    }

    /** Ends all. */
    @Override
    public void close() {
        loops.forEach(Process::destroyForcibly);
    }
}
