package io.sdp4j.shim;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The modules inside the agent jar, one folder each: {@code sdp4j-modules/NAME/...}.
 *
 * <p>They become a {@link ModuleLayer} of their own whose one loader has the platform loader as its
 * parent: the application sees none of their classes and they see none of the application's.
 * Nothing is extracted; the jar stays open as long as the JVM runs, as every jar on a class path
 * does. Immutable and thread-safe.
 */
final class Bundle implements ModuleFinder {
    /** Folder of the modules in the jar. */
    static final String FOLDER = "sdp4j-modules/";

    private static final String DESCRIPTOR = "module-info.class";
    private static final String LOGGER_FACTORY = "org/slf4j/LoggerFactory.class";

    private final Map<String, ModuleReference> references = new HashMap<>();

    private Bundle(ZipFile jar, URI location) throws IOException {
        Map<String, Set<String>> packages = new HashMap<>();
        for (var entries = jar.entries(); entries.hasMoreElements(); ) {
            String name = entries.nextElement().getName();
            int module = name.indexOf('/', FOLDER.length());
            if (module < 0 || !name.startsWith(FOLDER)) {
                continue;
            }
            Set<String> found =
                    packages.computeIfAbsent(
                            name.substring(FOLDER.length(), module), m -> new HashSet<>());
            int last = name.lastIndexOf('/');
            if (last > module
                    && name.endsWith(".class")
                    && !name.startsWith("META-INF/", module + 1)) {
                found.add(name.substring(module + 1, last).replace('/', '.'));
            }
        }
        for (Map.Entry<String, Set<String>> module : packages.entrySet()) {
            String folder = FOLDER + module.getKey() + "/";
            ZipEntry entry = jar.getEntry(folder + DESCRIPTOR);
            if (entry == null) { // an unpacked multi-release jar
                entry = jar.getEntry(folder + "META-INF/versions/9/" + DESCRIPTOR);
            }
            if (entry == null) {
                continue;
            }
            try (InputStream in = jar.getInputStream(entry)) {
                ModuleDescriptor descriptor = ModuleDescriptor.read(in, module::getValue);
                references.put(
                        descriptor.name(),
                        new Reference(descriptor, URI.create(location + "!/" + folder), jar));
            }
        }
    }

    /**
     * Contents of the layer.
     *
     * @param jar the agent jar, never closed
     * @param root the module whose needs decide what else is in the layer
     */
    static Configuration resolve(ZipFile jar, URI location, String root) throws IOException {
        return ModuleLayer.boot()
                .configuration()
                .resolve(new Bundle(jar, location), ModuleFinder.of(), List.of(root));
    }

    @Override
    public Optional<ModuleReference> find(String name) {
        return Optional.ofNullable(references.get(name));
    }

    @Override
    public Set<ModuleReference> findAll() {
        return Set.copyOf(references.values());
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
     * The application may name its own SLF4J provider in a system property. Our copy of SLF4J would
     * try to load it and complain on stderr, so it gets to read a property that is never set.
     */
    private static InputStream ownProperty(InputStream classFile) throws IOException {
        try (classFile) {
            String text = new String(classFile.readAllBytes(), StandardCharsets.ISO_8859_1);
            return new ByteArrayInputStream(
                    text.replace("\0\16slf4j.provider", "\0\16sdp4j.provider")
                            .getBytes(StandardCharsets.ISO_8859_1));
        }
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
            ZipEntry entry = jar.getEntry(folder + name);
            if (entry == null) {
                return Optional.empty();
            }
            InputStream in = jar.getInputStream(entry);
            return Optional.of(name.equals(LOGGER_FACTORY) ? ownProperty(in) : in);
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
