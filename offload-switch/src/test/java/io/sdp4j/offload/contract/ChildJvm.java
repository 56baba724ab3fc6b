package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.policy.Policy;
import io.sdp4j.testing.JvmCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/** Runs one scenario of {@link InstalledMain} in a JVM of its own; its factories die with it. */
final class ChildJvm {
    private ChildJvm() {}

    static final List<String> ACCESS =
            List.of(
                    "--add-opens=java.base/java.net=ALL-UNNAMED",
                    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                    "--add-exports=java.base/jdk.internal.access=ALL-UNNAMED");

    static void run(List<String> jvmArgs, String scenario) throws Exception {
        String tests = System.getProperty("basedir") + "/target/test-classes";
        String places =
                JvmCommand.placesOf(
                        OffloadSwitch.class,
                        ReasonCode.class,
                        Policy.class,
                        LoggerFactory.class,
                        JvmCommand.class);
        JvmCommand command =
                JvmCommand.of(InstalledMain.class, scenario)
                        .options("-ea", "-XX:TieredStopAtLevel=1")
                        .options(jvmArgs.toArray(String[]::new))
                        .classPath(tests + ":" + places);
        Path output = Files.createTempFile("child", ".txt");
        try {
            Process child =
                    command.builder()
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            boolean ended = child.waitFor(90, TimeUnit.SECONDS);
            child.destroyForcibly();
            String said = read(output);
            assertTrue(ended, "still running: " + said);
            assertEquals(0, child.exitValue(), said);
            assertTrue(said.contains("done: " + scenario), said);
        } finally {
            Files.delete(output);
        }
    }

    private static String read(Path output) throws IOException {
        return Files.readString(output, StandardCharsets.UTF_8);
    }
}
