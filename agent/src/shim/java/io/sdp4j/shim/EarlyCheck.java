package io.sdp4j.shim;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Looks at options and rule file in {@code premain}, so that a mistake is told at the start and not
 * at the first socket, which may be an hour later.
 *
 * <p>Defining the whole layer for that would cost every JVM's start about 100 ms. The rules' module
 * needs nothing but {@code java.base}, so its classes alone are read from the jar, by a loader that
 * nobody keeps; and only where there is something to look at.
 */
final class EarlyCheck extends ClassLoader {
    private static final String FOLDER = Bundle.FOLDER + "io.sdp4j.policy/";
    private static final String USUAL_FILE = "/etc/libsdp.conf";

    private final ZipFile jar;

    private EarlyCheck(ZipFile jar) {
        super(ClassLoader.getPlatformClassLoader());
        this.jar = jar;
    }

    /**
     * The lines to print, in the words that would come at the first socket. Empty if nothing is
     * configured, all is well, or it cannot be found out here.
     *
     * @param options the agent's
     * @param jdkConf value of {@code com.sun.sdp.conf}, or null
     */
    static List<String> lines(Map<String, String> options, String jdkConf) {
        if (options.isEmpty() && jdkConf == null && !configured()) {
            return List.of();
        }
        try (ZipFile jar = new ZipFile(new File(Layer.agentJar()))) {
            Object lines =
                    new EarlyCheck(jar)
                            .loadClass("io.sdp4j.policy.StartCheck")
                            .getMethod("lines", Map.class, String.class)
                            .invoke(null, options, jdkConf);
            return List.of(((List<?>) lines).toArray(new String[0]));
        } catch (IOException
                | URISyntaxException
                | ReflectiveOperationException
                | RuntimeException
                | LinkageError e) {
            return List.of(); // the switch itself will say what it finds
        }
    }

    private static boolean configured() {
        if (System.getenv("SDP4J_POLICY") != null || System.getenv("LIBSDP_CONFIG_FILE") != null) {
            return true;
        }
        for (String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith("sdp4j.")) {
                return true;
            }
        }
        return new File(USUAL_FILE).exists();
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        ZipEntry entry = jar.getEntry(FOLDER.concat(name.replace('.', '/')).concat(".class"));
        if (entry == null) {
            throw new ClassNotFoundException(name);
        }
        try (InputStream in = jar.getInputStream(entry)) {
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
