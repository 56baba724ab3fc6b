package io.sdp4j.agent.plugin;

import io.sdp4j.fabric.FabricFactory;
import io.sdp4j.offload.spi.OffloadProvider;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Loads plug-ins: each in a module layer of its own on top of the agent's, so that one that is
 * broken takes no other with it. Their loaders have the platform loader as parent, and the
 * application sees none of their classes. A plug-in also sees the other jars of the directory.
 *
 * <p>Plug-ins run with the rights of the agent, so nothing is loaded that another user than root
 * and ours could have put there or changed. Used once, by one thread.
 */
final class PluginLoader {
    private static final List<String> SERVICES =
            List.of(OffloadProvider.class.getName(), FabricFactory.class.getName());

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]+");
    private static final int ROOT = 0;
    private static final int WRITABLE_BY_OTHERS = 0_022;
    private static final int STICKY = 0_1000;

    private final Consumer<String> sink;
    private final Set<String> names = new HashSet<>(Set.of("sdp", "shm", "verbs"));
    private final List<OffloadProvider> protocols = new ArrayList<>();
    private final List<FabricFactory> fabrics = new ArrayList<>();

    PluginLoader(Consumer<String> sink) {
        this.sink = sink;
    }

    Plugins load(String directory) {
        try {
            loadAll(jars(directory));
        } catch (IOException | RuntimeException e) {
            warn("no plug-in is loaded: sdp4j.plugins=" + directory + ": " + reason(e));
        }
        return new Plugins(List.copyOf(protocols), List.copyOf(fabrics));
    }

    /** The jars of a directory by name; a reason why not is the message of what is thrown. */
    private List<Path> jars(String text) throws IOException {
        Path directory;
        try {
            directory = Path.of(text);
        } catch (InvalidPathException e) {
            throw new IOException("it is no path", e);
        }
        if (!directory.isAbsolute()) {
            throw new IOException("it is a relative path; give the full one");
        }
        if (!Files.isDirectory(directory)) {
            throw new IOException("it is no directory; make it, or leave the setting out");
        }
        Path real = directory.toRealPath();
        checkOnlyOurs(real);
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(real, "*.jar")) {
            found.forEach(jars::add);
        }
        if (jars.isEmpty()) {
            throw new IOException("it has no jar; put one there, or leave the setting out");
        }
        jars.sort(null);
        return jars;
    }

    /**
     * Checks that no other user can change what is there. Above it only the names that lead there
     * count, which are safe in a directory where users can remove only their own.
     */
    private static void checkOnlyOurs(Path path) throws IOException {
        // not /proc's owner: in a user namespace without the host's root it has the number that
        // stands for all users without one
        Set<Object> trusted = new HashSet<>();
        trusted.add(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        trusted.add(ROOT);
        Path real = path.toRealPath();
        for (Path p = real; p != null; p = p.getParent()) {
            int mode = (int) Files.getAttribute(p, "unix:mode");
            boolean open = (mode & WRITABLE_BY_OTHERS) != 0;
            boolean sticky = !p.equals(real) && (mode & STICKY) != 0;
            if (open && !sticky) {
                throw new IOException(
                        p + " can be written to by other users; take that away: chmod go-w " + p);
            }
            if (!trusted.contains(Files.getAttribute(p, "unix:uid"))) {
                throw new IOException(
                        p + " belongs to another user; let it be root's or that of this process");
            }
        }
    }

    private void loadAll(List<Path> jars) {
        Map<Path, ModuleDescriptor> modules = new LinkedHashMap<>();
        for (Path jar : jars) {
            try {
                checkOnlyOurs(jar);
                if (!Files.isRegularFile(jar)) {
                    throw new IOException("it is no file");
                }
                modules.put(jar, ModuleFinder.of(jar).findAll().iterator().next().descriptor());
            } catch (IOException | RuntimeException e) {
                skip(jar, e);
            }
        }
        ModuleFinder all = ModuleFinder.of(modules.keySet().toArray(Path[]::new));
        Set<String> needed = new HashSet<>();
        for (ModuleDescriptor module : modules.values()) {
            module.requires().forEach(r -> needed.add(r.name()));
        }
        modules.forEach(
                (jar, module) -> {
                    if (isPlugin(module)) {
                        load(jar, module.name(), all, needed);
                    }
                });
        modules.forEach(
                (jar, module) -> {
                    if (!isPlugin(module) && !needed.contains(module.name())) {
                        String why = "provides neither " + String.join(" nor ", SERVICES);
                        skip(jar, new IllegalArgumentException(why));
                    }
                });
    }

    private static boolean isPlugin(ModuleDescriptor module) {
        return module.provides().stream().anyMatch(p -> SERVICES.contains(p.service()));
    }

    /**
     * @param needed gets the modules that are used then
     */
    private void load(Path jar, String module, ModuleFinder all, Set<String> needed) {
        try {
            ModuleLayer ours = PluginLoader.class.getModule().getLayer();
            ModuleLayer parent = ours != null ? ours : ModuleLayer.boot();
            // a copy of one of our modules in the directory must not stand in for ours
            Configuration configuration =
                    parent.configuration().resolve(ModuleFinder.of(jar), all, Set.of(module));
            ModuleLayer layer =
                    parent.defineModulesWithOneLoader(
                            configuration, ClassLoader.getPlatformClassLoader());
            List<OffloadProvider> ownProtocols = new ArrayList<>();
            List<FabricFactory> ownFabrics = new ArrayList<>();
            Set<String> ownNames = new HashSet<>(names);
            for (OffloadProvider provider : services(layer, OffloadProvider.class)) {
                String name = provider.name();
                checkName(name, ownNames);
                ownProtocols.add(new PluginProtocol(name, provider));
            }
            for (FabricFactory factory : services(layer, FabricFactory.class)) {
                checkName(factory.name(), ownNames);
                ownFabrics.add(factory);
            }
            names.addAll(ownNames);
            protocols.addAll(ownProtocols);
            fabrics.addAll(ownFabrics);
            configuration.modules().forEach(m -> needed.add(m.name()));
        } catch (RuntimeException | Error e) { // whatever it is, the application gets its socket
            skip(jar, e);
        }
    }

    private static <S> List<S> services(ModuleLayer layer, Class<S> service) {
        long own =
                layer.modules().stream()
                        .flatMap(m -> m.getDescriptor().provides().stream())
                        .filter(p -> p.service().equals(service.getName()))
                        .mapToLong(p -> p.providers().size())
                        .sum();
        // those of the layers below come behind them, and are others' business
        return ServiceLoader.load(layer, service).stream()
                .limit(own)
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    private static void checkName(String name, Set<String> taken) {
        if (name == null || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "its name '" + name + "' has other characters than letters, digits, _ and -");
        }
        if (!taken.add(name)) {
            throw new IllegalArgumentException("its name '" + name + "' is taken");
        }
    }

    private void skip(Path jar, Throwable why) {
        warn(
                "plug-in %s is not used: %s; repair or remove it, see docs/plugins.md"
                        .formatted(jar, reason(why)));
    }

    private void warn(String line) {
        sink.accept("sdp4j: " + line.replaceAll("\\p{Cntrl}+", " "));
    }

    /** The message of a throwable and its cause. */
    private static String reason(Throwable thrown) {
        boolean plain =
                thrown instanceof IOException
                        || thrown instanceof IllegalArgumentException
                        || thrown instanceof ServiceConfigurationError
                        || thrown instanceof FindException;
        String text = plain && thrown.getMessage() != null ? thrown.getMessage() : "" + thrown;
        Throwable cause = thrown.getCause();
        return cause == null ? text : text + " (" + cause + ")";
    }
}
