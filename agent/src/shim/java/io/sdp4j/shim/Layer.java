package io.sdp4j.shim;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.zip.ZipFile;

/**
 * The module layer of this JVM, defined at its first use. Thread-safe.
 *
 * @param location the agent jar
 */
record Layer(ModuleLayer.Controller controller, URI location) {
    private static final String ROOT = "io.sdp4j.agent";
    private static final String NATIVE = "io.sdp4j.rdma";

    private static Layer instance;

    static synchronized Layer get() {
        if (instance == null) {
            try {
                URI jar = agentJar();
                instance = new Layer(Bundle.define(new ZipFile(new File(jar)), jar, ROOT), jar);
            } catch (IOException | URISyntaxException e) {
                throw new IllegalStateException("cannot read the agent jar: " + e, e);
            }
        }
        return instance;
    }

    /** Where we were loaded from. */
    static URI agentJar() throws URISyntaxException {
        return Layer.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    }

    /**
     * Native access, where this jar's manifest or the command line grants it to us, for the one
     * module that makes native calls. The agent has another way: its JVM does not read the
     * manifest.
     */
    @SuppressWarnings("restricted")
    void passNativeAccess() {
        if (Layer.class.getModule().isNativeAccessEnabled()) {
            controller.enableNativeAccess(module(NATIVE));
        }
    }

    /** The module of that name, which is in the layer. */
    Module module(String name) {
        return controller.layer().findModule(name).orElseThrow();
    }

    /** A public class of the root module. */
    Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(name, true, module(ROOT).getClassLoader());
    }
}
