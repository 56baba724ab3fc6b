package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** Two JVMs with a connection, one of which ends, on kernel TCP and offloaded. */
abstract class EndingJvms {
    @TempDir Path directory;

    /** Transport of the connections of a test. */
    enum Stack {
        KERNEL,
        OFFLOADED,
        /** TCP at first, shared memory as soon as the first byte has gone. */
        MOVING;

        boolean agent() {
            return this != KERNEL;
        }

        /** How processes that are started from now on are offloaded. */
        void use(Jvms jvms) throws IOException {
            if (this == OFFLOADED) {
                jvms.direct();
            } else {
                jvms.upgrade("1");
            }
        }
    }

    static void assertOffloaded(AgentReport report) {
        assertEquals(1, report.offloaded() + report.acceptedOffloaded(), report::text);
    }

    static Child start(Jvms jvms, boolean agent, Class<?> program, String... args)
            throws Exception {
        return start(jvms, agent, List.of(), program, args);
    }

    static Child start(
            Jvms jvms, boolean agent, List<String> options, Class<?> program, String... args)
            throws Exception {
        return jvms.java(
                program.getSimpleName() + " " + args[0],
                agent,
                options,
                Jvms.classPathOf(program),
                program.getName(),
                args);
    }
}
