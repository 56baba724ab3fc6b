package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: {@code build/find-jdk.sh} finds a JDK 25 or newer wherever one may be named or installed,
 * and says one sentence when there is none. Method: a shell with an environment of our own, and the
 * script with its installation folders moved below a folder of ours, so that what this machine has
 * does not matter.
 */
class FindJdkTest {
    private static final Path SCRIPT = Path.of("..", "build", "find-jdk.sh");

    @TempDir private Path root;
    private Path script;

    @BeforeEach
    void moveFolders() throws IOException {
        String text =
                Files.readString(SCRIPT).replaceAll("(?<= )/(usr|opt|Library)/", root + "/$1/");
        assertTrue(text.contains(root + "/usr/lib/jvm/*"), "the script looks elsewhere now");
        script = Files.writeString(root.resolve("find-jdk.sh"), text);
    }

    /** As much of a JDK as the script looks at. */
    private Path jdk(String where, String version) throws IOException {
        Path home = root.resolve(where);
        Files.createDirectories(home.resolve("bin"));
        for (String tool : List.of("java", "javac")) {
            Path file = Files.writeString(home.resolve("bin").resolve(tool), "#!/bin/sh\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Files.writeString(
                home.resolve("release"),
                "IMPLEMENTOR=\"Anybody\"\nJAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    private Jvm.Outcome find(Map<String, String> environment) {
        return Jvm.process(
                environment, List.of("/bin/sh", "-uc", ". " + script + "; echo $JAVA_HOME"));
    }

    private void assertFound(Path home, Map<String, String> environment) {
        Jvm.Outcome outcome = find(environment);
        assertEquals("", outcome.err());
        assertEquals(List.of(home.toString()), outcome.outLines());
        assertEquals(0, outcome.exitCode());
    }

    private void assertNone(Map<String, String> environment) {
        Jvm.Outcome outcome = find(environment);
        assertEquals(69, outcome.exitCode());
        assertEquals("", outcome.out());
        assertEquals(
                List.of(
                        "sdp4j needs a JDK 25 or newer and found none: install one, or set"
                                + " JAVA_HOME (or SDP4J_JAVA_HOME) to its folder."),
                outcome.errLines());
    }

    @Test
    void saysOneSentenceWhenThereIsNone() throws IOException {
        assertNone(Map.of());
        Path old = jdk("usr/lib/jvm/java-17", "17.0.12");
        assertNone(Map.of("JAVA_HOME", old.toString(), "PATH", old + "/bin:/usr/bin:/bin"));
        Path runtime = jdk("usr/lib/jvm/runtime-25", "25");
        Files.delete(runtime.resolve("bin/javac"));
        assertNone(Map.of("JAVA_HOME", runtime.toString()));
        assertNone(Map.of("JAVA_HOME", "/no/such/folder", "HOME", root.toString()));
    }

    /** Method: the wrapper in a checkout of ours, where it finds no JDK and does no more. */
    @Test
    void theWrapperFindsTheScriptWhenAShellRunsItByItsName() throws IOException {
        Files.createDirectory(root.resolve("build"));
        Files.copy(script, root.resolve("build/find-jdk.sh"));
        Files.copy(SCRIPT.resolveSibling("../mvnw"), root.resolve("mvnw"));
        Jvm.Outcome outcome =
                Jvm.process(Map.of(), List.of("/bin/sh", "-c", "cd " + root + "; sh mvnw"));
        assertEquals(69, outcome.exitCode(), outcome::err);
    }

    @Test
    void prefersWhatIsNamed() throws IOException {
        jdk("usr/lib/jvm/temurin-25", "25.0.1");
        Path named = jdk("a", "26");
        Path usual = jdk("b", "25");
        assertFound(
                named, Map.of("SDP4J_JAVA_HOME", named.toString(), "JAVA_HOME", usual.toString()));
        assertFound(usual, Map.of("JAVA_HOME", usual.toString()));
    }

    @Test
    void findsTheOneOnThePathAndInTheUsualFolders() throws IOException {
        Path old = jdk("usr/lib/jvm/java-17", "17.0.12");
        Path sdkman = jdk("home/.sdkman/candidates/java/25.0.1-tem", "25.0.1");
        Map<String, String> home =
                Map.of("HOME", root.resolve("home").toString(), "JAVA_HOME", old.toString());
        assertFound(sdkman, home);
        Path installed = jdk("usr/lib/jvm/temurin-25", "25.0.1");
        assertFound(installed, home);
        Path onPath = jdk("tools/jdk", "27-ea");
        Path links = Files.createDirectories(root.resolve("links"));
        Files.createSymbolicLink(links.resolve("java"), onPath.resolve("bin/java"));
        assertFound(
                onPath.toRealPath(),
                Map.of("PATH", links + ":/usr/bin:/bin", "HOME", home.get("HOME")));
    }
}
