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

    /** The module of that name, which is in the layer. */
    Module module(String name) {
        return controller.layer().findModule(name).orElseThrow();
    }

    /** A public class of the root module. */
    Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(name, true, module(ROOT).getClassLoader());
    }
}
