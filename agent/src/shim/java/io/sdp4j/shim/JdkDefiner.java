package io.sdp4j.shim;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableModuleException;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Defines classes of the agent jar in packages of {@code java.base}. A package is opened only to
 * one class, in a loader of its own that is not kept, so the application's classes get no access.
 */
final class JdkDefiner extends ClassLoader {
    private static final String DEFINER = "io/sdp4j/shim/EarlyDefiner";

    /** Folder of the classes that only this class defines. */
    static final String FOLDER = "sdp4j-early/";

    private JdkDefiner() {
        super(null);
    }

    /**
     * Defines classes.
     *
     * @param folder the folder in the jar that holds the folders of the packages
     * @param neighbour a class of the package
     * @param classNames names without the package, separated by blanks, each after its superclass
     *     and interfaces
     * @return a new object of the last class
     * @throws IllegalStateException if this JDK does not take them; or a {@code LinkageError}
     */
    static Object define(
            Instrumentation instrumentation, String folder, String neighbour, String classNames) {
        try {
            String[] names = classNames.split(" ", -1); // one character: no regular expression
            ZipFile jar = EarlyCheck.jar();
            Class<?> host = Class.forName(neighbour, false, null);
            String name = host.getPackageName();
            byte[] definer = bytes(jar, DEFINER);
            byte[][] classes = new byte[names.length][];
            for (int i = 0; i < classes.length; i++) {
                classes[i] = bytes(jar, folder + name.replace('.', '/') + "/" + names[i]);
            }
            JdkDefiner loader = new JdkDefiner();
            instrumentation.redefineModule(
                    host.getModule(),
                    Set.of(),
                    Map.of(),
                    Map.of(name, Set.of(loader.getUnnamedModule())),
                    Set.of(),
                    Map.of());
            @SuppressWarnings("unchecked")
            Function<Object[], Object> define =
                    (Function<Object[], Object>)
                            loader.defineClass(null, definer, 0, definer.length)
                                    .getConstructor()
                                    .newInstance();
            return define.apply(new Object[] {host, classes});
        } catch (IOException | ReflectiveOperationException | UnmodifiableModuleException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] bytes(ZipFile jar, String name) throws IOException {
        ZipEntry entry = jar.getEntry(name.concat(".class"));
        if (entry == null) {
            throw new IOException(name);
        }
        try (InputStream in = jar.getInputStream(entry)) {
            return in.readAllBytes();
        }
    }
}
