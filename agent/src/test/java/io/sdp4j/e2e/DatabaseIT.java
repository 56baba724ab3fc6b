package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.samples.JdbcWorkload;
import java.io.File;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** As {@link ApplicationsIT}, for a database and its driver. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DatabaseIT extends Comparison {
    @ParameterizedTest
    @EnumSource
    @DisplayName("76: a JDBC driver and its server")
    void h2(Ends ends) throws Exception {
        String h2 = Jvms.classPathOf(org.h2.Driver.class);
        Application application =
                new Application() {
                    @Override
                    public Child server(boolean agent) throws Exception {
                        return jvms.java(
                                "H2 server",
                                agent,
                                List.of(),
                                h2 + File.pathSeparator + Jvms.classPathOf(H2Server.class),
                                H2Server.class.getName(),
                                "-ifNotExists",
                                "-baseDir",
                                directory.toString());
                    }

                    @Override
                    public Child client(boolean agent, String port) throws Exception {
                        return jvms.java(
                                "H2 client",
                                agent,
                                List.of(),
                                h2 + File.pathSeparator + SAMPLES,
                                JdbcWorkload.class.getName(),
                                "--url",
                                "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:e2e",
                                "--user",
                                "sa",
                                "--rows",
                                "10000");
                    }
                };
        same("h2", application, ends, false);
        assertEquals("10000", EXPECTED.get("h2").get("inserted"));
        assertEquals("true", EXPECTED.get("h2").get("complete"));
    }
}
