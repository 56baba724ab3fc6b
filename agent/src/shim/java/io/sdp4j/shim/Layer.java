package io.sdp4j.shim;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The modules of the agent jar in this JVM, by name. The layer's controller is not kept, because it
 * can open every module of the layer.
 */
record Layer(Map<String, Module> modules) {
    private static final String ROOT = "io.sdp4j.agent";
    private static final List<String> NATIVE = List.of("io.sdp4j.linux", "io.sdp4j.fabric.verbs");

    /**
     * Defines the modules in a layer that can be the parent of others: for the command line and
     * plug-ins.
     */
    static Layer define() {
        try {
            URI jar = agentJar();
            ModuleLayer.Controller controller =
                    ModuleLayer.defineModulesWithOneLoader(
                            Bundle.resolve(EarlyCheck.jar(), jar, ROOT),
                            List.of(ModuleLayer.boot()),
                            ClassLoader.getPlatformClassLoader());
            Map<String, Module> modules = new HashMap<>();
            for (Module module : controller.layer().modules()) {
                modules.put(module.getName(), module);
            }
            Layer layer = new Layer(modules);
            layer.passNativeAccess(controller);
            return layer;
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException("cannot read the agent jar: " + e, e);
        }
    }

    /**
     * Defines the modules. If no plug-in needs a layer, they are defined without one, which is
     * quicker.
     */
    static Layer define(Instrumentation instrumentation) {
        if (Options.setting("plugins") == null) {
            try {
                return direct(instrumentation);
            } catch (IOException | URISyntaxException | RuntimeException | LinkageError e) {
                // a JDK with other internals; a missing module or an unreadable jar is reported
                // by the layer
            }
        }
        return define();
    }

    @SuppressWarnings("unchecked")
    private static Layer direct(Instrumentation instrumentation)
            throws IOException, URISyntaxException {
        URI jar = agentJar();
        Object definer =
                JdkDefiner.define(
                        instrumentation,
                        JdkDefiner.FOLDER,
                        "jdk.internal.loader.Loader",
                        "AgentLoader AgentModules");
        return new Layer(
                ((Function<Collection<ModuleReference>, Map<String, Module>>) definer)
                        .apply(Bundle.closure(EarlyCheck.jar(), jar, ROOT)));
    }

    /** Returns the place of the jar that this class was loaded from. */
    static URI agentJar() throws URISyntaxException {
        return Layer.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    }

    /**
     * Passes native access on to the modules that make native calls, if this jar's manifest or the
     * command line grants it to the shim. The agent has another way, as its JVM does not read the
     * manifest.
     */
    @SuppressWarnings("restricted")
    private void passNativeAccess(ModuleLayer.Controller controller) {
        if (Layer.class.getModule().isNativeAccessEnabled()) {
            for (String name : NATIVE) {
                controller.enableNativeAccess(module(name));
            }
        }
    }

    /** Returns the module of that name, which must be in the jar. */
    Module module(String name) {
        return modules.get(name);
    }

    /** Returns a public class of any of the modules, which share one loader. */
    Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(name, true, module(ROOT).getClassLoader());
    }
}
