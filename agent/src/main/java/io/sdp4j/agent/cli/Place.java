package io.sdp4j.agent.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarFile;

/** Where things are: this jar, the JVM that runs it, the checkout around it. */
final class Place {
    private Place() {}

    /** The agent jar. */
    static Path agentJar() {
        String given = System.getProperty("sdp4j.agent.jar");
        if (given != null) {
            return Path.of(given).toAbsolutePath();
        }
        Module own = Place.class.getModule();
        ModuleLayer layer = own.getLayer();
        if (layer == null) {
            throw new Unavailable("this is not run from sdp4j-agent.jar");
        }
        String location =
                layer.configuration()
                        .findModule(own.getName())
                        .flatMap(m -> m.reference().location())
                        .orElseThrow()
                        .toString();
        return Path.of(URI.create(location.substring(0, location.indexOf("!/"))));
    }

    /** The launcher of the JVM that runs this. */
    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** The checkout: as the script says, or two levels above {@code agent/target}. */
    static Path home() {
        String given = System.getProperty("sdp4j.home");
        if (given != null) {
            return Path.of(given);
        }
        return agentJar().resolve("../../..").normalize();
    }

    /**
     * A built jar of the checkout.
     *
     * @param module folder of the Maven module
     * @param className a class that the jar must hold, dots between its parts
     */
    static Path builtJar(String module, String className) {
        Path target = home().resolve(module).resolve("target");
        String entry = className.replace('.', '/') + ".class";
        if (Files.isDirectory(target)) {
            try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, "*.jar")) {
                for (Path jar : jars) {
                    if (holds(jar, entry)) {
                        return jar;
                    }
                }
            } catch (IOException e) {
                throw new Unavailable("cannot look into " + target + ": " + e.getMessage());
            }
        }
        throw new Unavailable(
                ("no jar in %s has %s; build it with ./mvnw -DskipTests package in a checkout of"
                                + " sdp4j")
                        .formatted(target, className));
    }

    private static boolean holds(Path jar, String entry) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.getEntry(entry) != null;
        }
    }
}
