package io.sdp4j.agent.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a directory that cannot be used costs a line that says why and what to do, and no more. */
class PluginsTest {
    @TempDir private Path folder;
    private Path plugins;

    @BeforeEach
    void makeDirectory() throws IOException {
        plugins = Files.createDirectory(folder.resolve("plugins")).toRealPath();
        allow(plugins, "rwxr-xr-x");
    }

    private static void allow(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    /** The one line that is told, after which there are no plug-ins. */
    private static String line(String directory) {
        List<String> lines = new ArrayList<>();
        assertEquals(List.of(), Plugins.of(directory, lines::add).names());
        assertEquals(1, lines.size(), lines::toString);
        return lines.getFirst();
    }

    private static void assertTold(String wanted, String line) {
        assertTrue(line.startsWith("sdp4j: ") && line.contains(wanted), line);
    }

    @Test
    void withoutTheSettingNothingIsSaid() {
        List<String> lines = new ArrayList<>();
        assertEquals(List.of(), Plugins.of("", lines::add).names());
        assertEquals(List.of(), lines);
    }

    @Test
    void theDirectoryIsOneAndHasJars() throws IOException {
        assertTold("relative path; give the full one", line("plugins"));
        assertTold("it is no path", line("/a\0b"));
        Path none = folder.resolve("none");
        assertTold("it is no directory; make it", line(none.toString()));
        Files.createFile(none);
        assertTold("it is no directory; make it", line(none.toString()));
        assertTold("it has no jar; put one there", line(plugins.toString()));
    }

    @Test
    void aDirectoryThatOthersMayWriteToIsNotRead() throws IOException {
        Files.createFile(plugins.resolve("any.jar"));
        for (String permissions : List.of("rwxrwxr-x", "rwxr-xrwx")) {
            allow(plugins, permissions);
            assertTold("chmod go-w " + plugins.toRealPath(), line(plugins.toString()));
            assertTold("no plug-in is loaded", line(plugins.toString()));
        }
        allow(plugins, "rwxr-xr-x");
        allow(folder, "rwxrwxrwx"); // where it could be exchanged for another
        assertTold("chmod go-w " + folder.toRealPath(), line(plugins.toString()));
        Path link = Files.createSymbolicLink(folder.resolve("link"), plugins);
        assertTold("chmod go-w " + folder.toRealPath(), line(link.toString()));
    }

    @Test
    void aJarThatOthersMayWriteToIsNotRead() throws IOException {
        Path jar = Files.createFile(plugins.resolve("open.jar"));
        allow(jar, "rw-rw-rw-");
        assertTold("plug-in " + jar + " is not used: ", line(plugins.toString()));
        assertTold("chmod go-w " + jar.toRealPath(), line(plugins.toString()));
        Path elsewhere = Files.move(jar, folder.resolve("elsewhere.jar"));
        Files.createSymbolicLink(jar, elsewhere);
        assertTold("chmod go-w " + elsewhere.toRealPath(), line(plugins.toString()));
    }

    /** The document's code is the samples' code. */
    @Test
    void theDocumentShowsTheSamples() throws IOException {
        StringBuilder samples = new StringBuilder();
        for (String sample : List.of("memory-fabric", "pipe-protocol")) {
            try (Stream<Path> files = Files.walk(Path.of("../samples", sample, "src"))) {
                for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    samples.append(Files.readString(file)).append('\n');
                }
            }
        }
        String document = Files.readString(Path.of("../docs/plugins.md"));
        Matcher shown = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(document);
        int blocks = 0;
        for (; shown.find(); blocks++) {
            assertTrue(samples.indexOf(shown.group(1)) >= 0, shown.group(1));
        }
        assertEquals(9, blocks);
    }

    @Test
    void whatIsNoJarIsNamed() throws IOException {
        Path jar = Files.writeString(plugins.resolve("broken.jar"), "no jar");
        allow(jar, "rw-r--r--");
        assertTold("plug-in " + jar + " is not used: ", line(plugins.toString()));
        Files.delete(jar);
        allow(Files.createDirectory(jar), "rwxr-xr-x"); // what is in there has not been looked at
        assertTold("plug-in " + jar + " is not used: it is no file", line(plugins.toString()));
    }
}
