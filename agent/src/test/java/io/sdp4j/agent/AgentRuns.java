package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.agent.programs.OtherAgent;
import io.sdp4j.e2e.AgentReport;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** Base of tests that run the jar in JVMs of their own. */
final class AgentRuns {
    /** Output of a program whose connection works. */
    static final List<String> BYTE = List.of("byte=42");

    private AgentRuns() {}

    static void assertRan(Jvm.Outcome outcome, int errLines) {
        assertEquals(0, outcome.exitCode(), outcome::err);
        assertEquals(BYTE, outcome.outLines());
        assertEquals(errLines, outcome.errLines().size(), outcome::err);
    }

    /** The connections of a report: offloaded, kernel by policy, kernel by fallback. */
    static List<Long> connections(Path report) throws IOException {
        AgentReport read = AgentReport.read(report);
        return List.of(read.offloaded(), read.policy(), read.fallback());
    }

    /** Writes a jar with {@link OtherAgent} and returns the option that loads it. */
    static String otherAgent(Path folder, String what) throws IOException {
        Map<String, String> attributes = Map.of("Premain-Class", OtherAgent.class.getName());
        Path jar = jar(folder.resolve("other.jar"), attributes, entries(OtherAgent.class));
        return "-javaagent:" + jar + "=" + what;
    }

    static Path jar(Path jar, Map<String, String> attributes, Map<String, byte[]> entries)
            throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.forEach(manifest.getMainAttributes()::putValue);
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                out.putNextEntry(new JarEntry(entry.getKey()));
                out.write(entry.getValue());
            }
        }
        return jar;
    }

    /** Entries of a jar with these classes of the test class path. */
    static Map<String, byte[]> entries(Class<?>... classes) throws IOException {
        Map<String, byte[]> entries = new HashMap<>();
        for (Class<?> c : classes) {
            String entry = c.getName().replace('.', '/') + ".class";
            entries.put(entry, Files.readAllBytes(Path.of(Jvm.classes()).resolve(entry)));
        }
        return entries;
    }
}
