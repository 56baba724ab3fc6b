package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Contents of the jar: an application that has it on its class path must see nothing of it. */
class JarIT {
    private static final Set<String> MODULES =
            Set.of(
                    "info.picocli",
                    "io.sdp4j",
                    "io.sdp4j.agent",
                    "io.sdp4j.api",
                    "io.sdp4j.fabric",
                    "io.sdp4j.fabric.shm",
                    "io.sdp4j.fabric.verbs",
                    "io.sdp4j.linux",
                    "io.sdp4j.offload",
                    "io.sdp4j.policy",
                    "io.sdp4j.resolve",
                    "io.sdp4j.wire",
                    "org.slf4j");

    /** Folder of classes that a module defines in the JDK's packages. */
    private static final String INTO_THE_JDK = "sdp4j-jdk/";

    @Test
    @DisplayName("71: the jar holds nothing but ours")
    void holdsTheShimAndTheModulesOnly() throws IOException {
        Set<String> modules = new TreeSet<>();
        try (JarFile jar = new JarFile(Jvm.JAR.toFile())) {
            for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
                String name = entry.getName();
                boolean known =
                        entry.isDirectory()
                                || name.equals("META-INF/MANIFEST.MF")
                                || name.matches("io/sdp4j/shim/[A-Za-z0-9$]+\\.class")
                                || name.matches(
                                        "sdp4j-early/java/net/Early((Server|Socket|)Impl[A-Za-z0-9$]*"
                                                + "|Socket(Maker|Input|Output))\\.class")
                                || name.matches(
                                        "sdp4j-early/jdk/internal/loader/Agent(Loader|Modules)\\.class")
                                || name.startsWith("sdp4j-modules/");
                assertTrue(known, name);
                if (name.startsWith("sdp4j-modules/") && !entry.isDirectory()) {
                    String[] parts = name.split("/", 3);
                    if (parts.length == 3) {
                        modules.add(parts[1]);
                    }
                    assertTrue(
                            parts.length == 2
                                    || !parts[2].startsWith("META-INF/")
                                    || parts[2].equals("META-INF/versions/9/module-info.class"),
                            name);
                }
            }
        }
        assertEquals(new TreeSet<>(MODULES), modules);
    }

    /** Goal: the layer knows the packages of its modules; it finds no class in any other. */
    @Test
    void knowsEveryPackage() throws IOException, ReflectiveOperationException {
        Map<String, Set<String>> held = new TreeMap<>();
        try (JarFile jar = new JarFile(Jvm.JAR.toFile())) {
            for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
                String[] parts = entry.getName().split("/", 3);
                int last = parts.length < 3 ? -1 : parts[2].lastIndexOf('/');
                if (parts[0].equals("sdp4j-modules")
                        && last > 0
                        && parts[2].endsWith(".class")
                        && !parts[2].startsWith("META-INF/")
                        && !parts[2].startsWith(INTO_THE_JDK)) {
                    held.computeIfAbsent(parts[1], m -> new TreeSet<>())
                            .add(parts[2].substring(0, last).replace('/', '.'));
                }
            }
        }
        Map<String, Set<String>> known = new TreeMap<>();
        try (URLClassLoader shim =
                new URLClassLoader(
                        new URL[] {Jvm.JAR.toUri().toURL()},
                        ClassLoader.getPlatformClassLoader())) {
            Class<?> type = shim.loadClass("io.sdp4j.shim.Layer");
            Method define = type.getDeclaredMethod("define");
            define.setAccessible(true);
            Method modules = type.getDeclaredMethod("modules");
            modules.setAccessible(true);
            ((Map<?, ?>) modules.invoke(define.invoke(null)))
                    .forEach(
                            (name, module) ->
                                    known.put(
                                            (String) name,
                                            new TreeSet<>(((Module) module).getPackages())));
        }
        known.forEach((module, packages) -> packages.retainAll(held.get(module))); // resources
        assertEquals(held, known);
    }

    @Test
    void tellsTheJvmWhereToEnter() throws IOException {
        try (JarFile jar = new JarFile(Jvm.JAR.toFile())) {
            var attributes = jar.getManifest().getMainAttributes();
            for (String key : List.of("Premain-Class", "Agent-Class", "Main-Class")) {
                assertEquals("io.sdp4j.shim.Entry", attributes.getValue(key), key);
            }
        }
    }
}
