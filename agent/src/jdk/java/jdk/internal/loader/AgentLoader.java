package jdk.internal.loader;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.net.URL;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The loader of the modules that {@link AgentModules} defines; its parent is the platform loader.
 * Thread-safe.
 */
final class AgentLoader extends ClassLoader {
    static {
        boolean _ = registerAsParallelCapable();
    }

    private final Map<String, ModuleReader> byName = new HashMap<>();
    private final Map<String, ModuleReader> byPackage = new HashMap<>();

    AgentLoader(Collection<ModuleReference> references) {
        super(ClassLoaders.platformClassLoader());
        try {
            for (ModuleReference reference : references) {
                ModuleReader reader = reference.open();
                byName.put(reference.descriptor().name(), reader);
                for (String name : reference.descriptor().packages()) {
                    byPackage.put(name, reader);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        ModuleReader reader = byPackage.get(name.substring(0, Math.max(0, name.lastIndexOf('.'))));
        if (reader == null) {
            return super.loadClass(name, resolve); // from the parent, as findClass(name) finds none
        }
        Class<?> type = find(reader, name);
        if (type == null) {
            throw new ClassNotFoundException(name);
        }
        return type;
    }

    @Override
    protected Class<?> findClass(String module, String name) {
        ModuleReader reader = byName.get(module);
        return reader == null ? null : find(reader, name);
    }

    private Class<?> find(ModuleReader reader, String name) {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try {
                ByteBuffer file = reader.read(name.replace('.', '/').concat(".class")).orElse(null);
                return file == null ? null : defineClass(name, file, null);
            } catch (IOException e) {
                return null;
            }
        }
    }

    @Override
    protected URL findResource(String module, String name) throws IOException {
        ModuleReader reader = byName.get(module);
        return reader == null || reader.find(name).isEmpty()
                ? null
                : reader.find(name).get().toURL();
    }

    /** Opens a resource without loading the JDK's classes for {@code jar:} URLs. */
    @Override
    public InputStream getResourceAsStream(String name) {
        try {
            for (ModuleReader reader : byName.values()) {
                InputStream content = reader.open(name).orElse(null);
                if (content != null) {
                    return content;
                }
            }
        } catch (IOException e) {
            return null;
        }
        return super.getResourceAsStream(name);
    }
}
