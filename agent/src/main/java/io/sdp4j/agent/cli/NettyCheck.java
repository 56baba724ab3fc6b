package io.sdp4j.agent.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;

/**
 * Looks for native transports on a class path: Netty's epoll, io_uring and kqueue, also shaded and
 * renamed ones as in gRPC. They call the kernel themselves, so no switch in Java sees their
 * sockets.
 */
final class NettyCheck {
    private static final String NAME = "native transports";

    /**
     * Their libraries. In front of the name a shaded copy has its package, with underscores for
     * dots, and {@code _1} for an underscore.
     */
    private static final Pattern LIBRARY =
            Pattern.compile(
                    "META-INF/native/(?:lib)?(\\w*?)netty_transport_native_(epoll|io_uring42|io_uring|kqueue)"
                            + "\\w*\\.(so|jnilib|dylib)");

    private NettyCheck() {}

    /**
     * @param classPath as {@code -cp} takes it, with {@code DIR/*}; empty: nothing to look at
     */
    static Check of(String classPath) {
        if (classPath.isBlank()) {
            return Check.skip(NAME, "not looked for; give the application's --class-path");
        }
        List<String> found = new ArrayList<>();
        Set<String> options = new TreeSet<>();
        int jars = 0;
        for (Path entry : entries(classPath)) {
            try (JarFile jar = new JarFile(entry.toFile())) {
                jars++;
                List<String> here =
                        names(jar).stream()
                                .map(LIBRARY::matcher)
                                .filter(Matcher::matches)
                                .map(m -> option(m.group(1)))
                                .toList();
                if (!here.isEmpty()) {
                    found.add(String.valueOf(entry.getFileName()));
                    options.addAll(here);
                }
            } catch (IOException e) {
                return Check.warn(
                        NAME, entry + " cannot be read: " + e.getMessage(), "name a readable jar");
            }
        }
        if (jars == 0) {
            return Check.warn(NAME, "no jar in " + classPath, "name the application's jars");
        }
        return found.isEmpty()
                ? Check.ok(NAME, "none in " + jars + " jars")
                : Check.warn(
                        NAME,
                        String.join(", ", found) + " bypass Java's sockets",
                        "start the application with " + String.join(" ", options));
    }

    /** The flag that turns off the copy of Netty whose libraries' names begin like that. */
    private static String option(String prefix) {
        String copy = prefix.replace('_', '.').replace(".1", "_");
        return "-D" + copy + "io.netty.transport.noNative=true";
    }

    /** The names in a jar, and in the jars in it, as Spring Boot packs them. */
    private static List<String> names(JarFile jar) throws IOException {
        List<String> names = new ArrayList<>();
        for (JarEntry entry : Collections.list(jar.entries())) {
            names.add(entry.getName());
            if (entry.getName().endsWith(".jar")) {
                try (ZipInputStream inner = new ZipInputStream(jar.getInputStream(entry))) {
                    for (ZipEntry e = inner.getNextEntry(); e != null; e = inner.getNextEntry()) {
                        names.add(e.getName());
                    }
                } catch (ZipException e) {
                    // a stream cannot read each jar that a file system can: its names so far count
                }
            }
        }
        return names;
    }

    private static List<Path> entries(String classPath) {
        List<Path> entries = new ArrayList<>();
        for (String part : classPath.split(File.pathSeparator, -1)) {
            if (part.isEmpty()) {
                continue;
            }
            boolean all = part.endsWith("/*");
            String name = all ? part.substring(0, part.length() - 2) : part;
            Path path = AgentOptions.path("--class-path", name);
            if (all) {
                try (DirectoryStream<Path> jars = Files.newDirectoryStream(path, "*.jar")) {
                    jars.forEach(entries::add);
                } catch (IOException e) {
                    throw new Unavailable("cannot look into " + path + ": " + e.getMessage());
                }
            } else if (Files.isRegularFile(path)) {
                entries.add(path);
            }
        }
        return entries;
    }
}
