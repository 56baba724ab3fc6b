package io.sdp4j.shim;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The modules inside the agent jar, one folder each: {@code sdp4j-modules/NAME/...}.
 *
 * <p>One loader defines them, below the platform loader: in no layer ({@code AgentModules}), or in
 * a {@link ModuleLayer} for plug-ins and the command line. The application sees none of their
 * classes and they see none of the application's. Nothing is extracted; the jar stays open as long
 * as the JVM runs, as every jar on a class path does. A module is read when it is asked for; for
 * one thread.
 */
final class Bundle implements ModuleFinder {
    /** Folder of the modules in the jar. */
    static final String FOLDER = "sdp4j-modules/";

    private static final String DESCRIPTOR = "module-info.class";
    private static final String LOGGER_FACTORY = "org/slf4j/LoggerFactory.class";

    /** Packages of the modules whose descriptors do not list them; a search for them takes long. */
    private static final Map<String, Set<String>> PACKAGES =
            Map.of(
                    "info.picocli",
                    Set.of("picocli"),
                    "io.sdp4j.agent",
                    Set.of(
                            "io.sdp4j.agent",
                            "io.sdp4j.agent.cli",
                            "io.sdp4j.agent.log",
                            "io.sdp4j.agent.plugin",
                            "io.sdp4j.agent.trace"));

    private final Map<String, ModuleReference> references = new HashMap<>();
    private final ZipFile jar;
    private final URI location;

    private Bundle(ZipFile jar, URI location) {
        this.jar = jar;
        this.location = location;
    }

    /**
     * Resolves the contents of the layer.
     *
     * @param jar the agent jar, never closed
     * @param root the module whose requirements decide which others are in the layer
     */
    static Configuration resolve(ZipFile jar, URI location, String root) throws IOException {
        try {
            return ModuleLayer.boot()
                    .configuration()
                    .resolve(new Bundle(jar, location), ModuleFinder.of(), List.of(root));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Returns a module and all others in the jar that it needs. */
    static Collection<ModuleReference> closure(ZipFile jar, URI location, String root)
            throws IOException {
        Bundle bundle = new Bundle(jar, location);
        try {
            bundle.addAll(root);
            return bundle.findAll();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void addAll(String name) {
        if (!references.containsKey(name) && find(name).isPresent()) {
            for (ModuleDescriptor.Requires r : references.get(name).descriptor().requires()) {
                addAll(r.name());
            }
        }
    }

    @Override
    public Optional<ModuleReference> find(String name) {
        if (!references.containsKey(name)) {
            references.put(name, read(name)); // null: a module of the JDK, asked for again
        }
        return Optional.ofNullable(references.get(name));
    }

    private ModuleReference read(String name) {
        String folder = FOLDER + name + "/";
        ZipEntry entry = jar.getEntry(folder + DESCRIPTOR);
        if (entry == null) { // an unpacked multi-release jar
            entry = jar.getEntry(folder + "META-INF/versions/9/" + DESCRIPTOR);
        }
        if (entry == null) {
            return null;
        }
        try {
            // from a buffer: a descriptor is read byte by byte
            ByteBuffer bytes = ByteBuffer.wrap(content(jar, entry));
            Set<String> packages = PACKAGES.get(name);
            ModuleDescriptor descriptor =
                    packages == null
                            ? ModuleDescriptor.read(bytes)
                            : ModuleDescriptor.read(bytes, new Packages(packages));
            return new Reference(descriptor, URI.create(location + "!/" + folder), jar);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Not a lambda, which takes four classes. */
    private record Packages(Set<String> get) implements Supplier<Set<String>> {}

    /**
     * Reads an entry into one array; {@code readAllBytes} makes 16 KiB of garbage for each class.
     */
    private static byte[] content(ZipFile jar, ZipEntry entry) throws IOException {
        try (InputStream in = jar.getInputStream(entry)) {
            byte[] content = new byte[(int) entry.getSize()];
            if (in.readNBytes(content, 0, content.length) != content.length) {
                throw new EOFException(jar.getName() + ": " + entry.getName());
            }
            return content;
        }
    }

    /** Returns the modules asked for so far, as the resolver asks for modules by name. */
    @Override
    public Set<ModuleReference> findAll() {
        Set<ModuleReference> found = new HashSet<>(references.values());
        found.remove(null);
        return found;
    }

    private static final class Reference extends ModuleReference {
        private final ZipFile jar;
        private final String folder;

        Reference(ModuleDescriptor descriptor, URI location, ZipFile jar) {
            super(descriptor, location);
            this.jar = jar;
            this.folder = FOLDER + descriptor.name() + "/";
        }

        @Override
        public ModuleReader open() {
            return new Reader(jar, folder);
        }
    }

    /**
     * Renames the system property in which the application may name its SLF4J provider: our copy of
     * SLF4J would try to load that provider and complain on stderr. The new name is never set.
     */
    private static byte[] ownProperty(byte[] classFile) {
        return new String(classFile, StandardCharsets.ISO_8859_1)
                .replace("\0\16slf4j.provider", "\0\16sdp4j.provider")
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private record Reader(ZipFile jar, String folder) implements ModuleReader {
        @Override
        public Optional<URI> find(String name) {
            return jar.getEntry(folder + name) == null
                    ? Optional.empty()
                    : Optional.of(
                            URI.create(
                                    "jar:"
                                            + new java.io.File(jar.getName()).toURI()
                                            + "!/"
                                            + folder
                                            + name));
        }

        @Override
        public Optional<InputStream> open(String name) throws IOException {
            byte[] content = contentOf(name);
            return content == null
                    ? Optional.empty()
                    : Optional.of(new ByteArrayInputStream(content));
        }

        @Override
        public Optional<ByteBuffer> read(String name) throws IOException {
            byte[] content = contentOf(name);
            return content == null ? Optional.empty() : Optional.of(ByteBuffer.wrap(content));
        }

        private byte[] contentOf(String name) throws IOException {
            ZipEntry entry = jar.getEntry(folder + name);
            if (entry == null) {
                return null;
            }
            byte[] content = content(jar, entry);
            return name.equals(LOGGER_FACTORY) ? ownProperty(content) : content;
        }

        @Override
        public Stream<String> list() {
            return jar.stream()
                    .map(ZipEntry::getName)
                    .filter(n -> n.startsWith(folder) && !n.endsWith("/"))
                    .map(n -> n.substring(folder.length()));
        }

        @Override
        public void close() {
            // the jar is shared by all modules and stays open
        }
    }
}
