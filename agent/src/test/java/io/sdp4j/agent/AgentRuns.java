package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.agent.programs.OtherAgent;
import io.sdp4j.e2e.AgentReport;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(new Attributes.Name("Premain-Class"), OtherAgent.class.getName());
        Path jar = folder.resolve("other.jar");
        String entry = OtherAgent.class.getName().replace('.', '/') + ".class";
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest);
                InputStream in = AgentRuns.class.getClassLoader().getResourceAsStream(entry)) {
            out.putNextEntry(new JarEntry(entry));
            in.transferTo(out);
        }
        return "-javaagent:" + jar + "=" + what;
    }
}
