package io.sdp4j.shim;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.zip.ZipFile;

/**
 * The modules of the agent jar in this JVM. The layer's controller can open every module in it, so
 * it is not kept.
 */
record Layer(ModuleLayer modules) {
    private static final String ROOT = "io.sdp4j.agent";
    private static final List<String> NATIVE = List.of("io.sdp4j.linux", "io.sdp4j.fabric.verbs");

    static Layer define() {
        try {
            URI jar = agentJar();
            ModuleLayer.Controller controller =
                    ModuleLayer.defineModulesWithOneLoader(
                            Bundle.resolve(new ZipFile(new File(jar)), jar, ROOT),
                            List.of(ModuleLayer.boot()),
                            ClassLoader.getPlatformClassLoader());
            Layer layer = new Layer(controller.layer());
            layer.passNativeAccess(controller);
            return layer;
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException("cannot read the agent jar: " + e, e);
        }
    }

    /** Where we were loaded from. */
    static URI agentJar() throws URISyntaxException {
        return Layer.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    }

    /**
     * Native access, where this jar's manifest or the command line grants it to us, for the modules
     * that make native calls. The agent has another way: its JVM does not read the manifest.
     */
    @SuppressWarnings("restricted")
    private void passNativeAccess(ModuleLayer.Controller controller) {
        if (Layer.class.getModule().isNativeAccessEnabled()) {
            for (String name : NATIVE) {
                controller.enableNativeAccess(module(name));
            }
        }
    }

    /** The module of that name, which is in the layer. */
    Module module(String name) {
        return modules.findModule(name).orElseThrow();
    }

    /** A public class; all modules have one loader. */
    Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(name, true, module(ROOT).getClassLoader());
    }
}
