package jdk.internal.loader;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleDescriptor.Opens;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleReference;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import jdk.internal.access.JavaLangAccess;
import jdk.internal.access.SharedSecrets;
import jdk.internal.module.ServicesCatalog;

/**
 * Defines modules with one loader, as {@link ModuleLayer#defineModulesWithOneLoader} does, but in
 * no layer. Resolving a configuration would take longer than all the rest of the switch's start,
 * most of it for classes of the JDK's lambdas.
 *
 * <p>It is in this package because application code can neither name this class nor open the
 * package.
 */
final class AgentModules implements Function<Collection<ModuleReference>, Map<String, Module>> {
    private final JavaLangAccess access = SharedSecrets.getJavaLangAccess();
    private final Map<String, Module> modules = new HashMap<>();

    /**
     * Defines modules.
     *
     * @param references the modules, with all modules of the jar that they require; other required
     *     modules must be in the boot layer, unless they are optional
     * @return the modules by name
     * @throws IllegalStateException if a module that is required is in neither
     */
    @Override
    public Map<String, Module> apply(Collection<ModuleReference> references) {
        AgentLoader loader = new AgentLoader(references);
        for (ModuleReference reference : references) {
            ModuleDescriptor descriptor = reference.descriptor();
            modules.put(
                    descriptor.name(),
                    access.defineModule(loader, descriptor, reference.location().orElse(null)));
        }
        ServicesCatalog services = ServicesCatalog.getServicesCatalog(loader);
        for (Module module : modules.values()) {
            readAll(module);
            export(module);
            open(module);
            services.register(module);
        }
        return Map.copyOf(modules);
    }

    private void readAll(Module reader) {
        for (Requires required : reader.getDescriptor().requires()) {
            read(reader, find(required));
        }
    }

    /**
     * Makes {@code reader} read {@code module}, if that is not null, and the modules that it
     * requires transitively.
     */
    private void read(Module reader, Module module) {
        if (module == null) {
            return;
        }
        access.addReads(reader, module);
        for (Requires required : module.getDescriptor().requires()) {
            if (passedOn(required)) {
                read(reader, find(required));
            }
        }
    }

    private static boolean passedOn(Requires required) {
        return required.modifiers().contains(Requires.Modifier.TRANSITIVE);
    }

    /** Finds a required module; null if it is optional and this JVM does not have it. */
    private Module find(Requires required) {
        String name = required.name();
        Module module = modules.get(name);
        if (module == null) {
            module = ModuleLayer.boot().findModule(name).orElse(null);
        }
        if (module == null && !required.modifiers().contains(Requires.Modifier.STATIC)) {
            throw new IllegalStateException("this JVM has no module " + name);
        }
        return module;
    }

    private void export(Module module) {
        for (Exports exported : module.getDescriptor().exports()) {
            if (!exported.isQualified()) {
                access.addExports(module, exported.source());
            }
            for (String target : exported.targets()) {
                if (modules.containsKey(target)) {
                    access.addExports(module, exported.source(), modules.get(target));
                }
            }
        }
    }

    private void open(Module module) {
        for (Opens opened : module.getDescriptor().opens()) {
            for (String target : opened.targets()) {
                if (modules.containsKey(target)) {
                    access.addOpens(module, opened.source(), modules.get(target));
                }
            }
        }
    }
}
