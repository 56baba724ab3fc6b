package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.JdbcConnector;
import io.sdp4j.samples.JdbcWorkload;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a client of a server that is no JVM works as before and pays next to nothing. Method:
 * Debian's PostgreSQL and its JDBC driver, without and with the agent, by turns.
 */
@Tag("alone")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PostgresIT {
    private static final int WARM_UP = 400;
    private static final int CONNECTS = 301;

    @TempDir Path directory;

    @Test
    @DisplayName("76: pgjdbc against a server that has not heard of us")
    void worksAsWithoutTheAgent() throws Exception {
        try (Jvms jvms = new Jvms(directory);
                PostgresCluster postgres = new PostgresCluster(jvms)) {
            Map<String, String> expected = workload(jvms, postgres, false).results();
            Child client = workload(jvms, postgres, true);
            assertEquals(expected, client.results());
            assertEquals("2000", expected.get("inserted"));
            assertEquals(List.of(), client.err(), client::toString);
            AgentReport report = client.report();
            assertEquals(0, report.offloaded(), report::text);
            assertTrue(report.fallback() > 0, report::text);
        }
    }

    /**
     * @param mostExtra as a share of a connect without the agent, which a slow machine lengthens as
     *     well; asking at each connect whether the peer is one of us costs up to 1 ms of a young
     *     JVM
     */
    @ParameterizedTest
    @CsvSource({"auto, 0.15", "connect, 0.25"})
    @DisplayName("77: a peer without our software costs next to nothing")
    void fallsBackAtOnce(String upgrade, double mostExtra) throws Exception {
        try (Jvms jvms = new Jvms(directory);
                PostgresCluster postgres = new PostgresCluster(jvms)) {
            jvms.upgrade(upgrade);
            Child plain = connector(jvms, postgres, false);
            Child agent = connector(jvms, postgres, true);
            long[] plainUs = new long[CONNECTS];
            long[] agentUs = new long[CONNECTS];
            for (int i = -WARM_UP; i < CONNECTS; i++) { // by turns: the machine is as busy for both
                long without = Long.parseLong(plain.ask("connect"));
                long with = Long.parseLong(agent.ask("connect"));
                if (i >= 0) {
                    plainUs[i] = without;
                    agentUs[i] = with;
                }
            }
            agent.endInput();
            agent.results();
            AgentReport report = agent.report();
            assertEquals(0, report.offloaded(), report::text);
            assertEquals(WARM_UP + CONNECTS, report.fallback() + report.policy(), report::text);
            Arrays.sort(plainUs);
            Arrays.sort(agentUs);
            // An extra cost is paid at every connect; time that other programs on the machine take
            // is least in the quicker ones.
            long without = plainUs[CONNECTS / 4];
            long with = agentUs[CONNECTS / 4];
            String times = "connect takes " + with + " us with the agent, " + without + " without";
            assertTrue(with <= without * (1 + mostExtra), times);
        }
    }

    private static Child connector(Jvms jvms, PostgresCluster postgres, boolean agent)
            throws Exception {
        return jvms.java(
                "connector",
                agent,
                List.of(),
                classPath(JdbcConnector.class),
                JdbcConnector.class.getName(),
                postgres.url(),
                "postgres");
    }

    private static Child workload(Jvms jvms, PostgresCluster postgres, boolean agent)
            throws Exception {
        return jvms.java(
                "JDBC client",
                agent,
                List.of(),
                classPath(JdbcWorkload.class),
                JdbcWorkload.class.getName(),
                "--url",
                postgres.url(),
                "--user",
                "postgres",
                "--rows",
                "2000",
                "--clob",
                "TEXT",
                "--blob",
                "BYTEA");
    }

    private static String classPath(Class<?> main) {
        return Jvms.classPathOf(org.postgresql.Driver.class)
                + File.pathSeparator
                + Jvms.classPathOf(main);
    }
}
