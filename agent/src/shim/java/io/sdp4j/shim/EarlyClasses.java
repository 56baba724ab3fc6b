package io.sdp4j.shim;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.net.Socket;
import java.net.SocketImplFactory;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Puts {@code java.net.EarlySocketImpl} into {@code java.net}. The package is opened to one class
 * only, in a loader of its own that is not kept: the application's classes get no access.
 */
final class EarlyClasses extends ClassLoader {
    private static final String DEFINER = "io/sdp4j/shim/EarlyDefiner";
    private static final String IMPL = "sdp4j-early/java/net/EarlySocketImpl";

    /** The maker of sockets is the last one. */
    private static final String[] PARTS = {"$Input", "$Output", "$Start", "", "$Maker"};

    private EarlyClasses() {
        super(null);
    }

    /**
     * The maker of early sockets.
     *
     * @return null if this JDK does not take them, or the rules are not available
     */
    static SocketImplFactory factory(Instrumentation instrumentation) {
        try (ZipFile jar = new ZipFile(new File(Layer.agentJar()))) {
            EarlySockets sockets = new EarlySockets(Boot.rules());
            byte[] definer = bytes(jar, DEFINER);
            byte[][] classes = new byte[PARTS.length][];
            for (int i = 0; i < classes.length; i++) {
                classes[i] = bytes(jar, IMPL.concat(PARTS[i]));
            }
            EarlyClasses loader = new EarlyClasses();
            instrumentation.redefineModule(
                    Socket.class.getModule(),
                    Set.of(),
                    Map.of(),
                    Map.of("java.net", Set.of(loader.getUnnamedModule())),
                    Set.of(),
                    Map.of());
            @SuppressWarnings("unchecked")
            Function<Object[], SocketImplFactory> define =
                    (Function<Object[], SocketImplFactory>)
                            loader.defineClass(null, definer, 0, definer.length)
                                    .getConstructor()
                                    .newInstance();
            return define.apply(
                    new Object[] {
                        classes, new Object[] {sockets, sockets, EarlySockets.CONNECTED}
                    });
        } catch (IOException
                | URISyntaxException
                | ReflectiveOperationException
                | RuntimeException
                | LinkageError e) {
            return null; // the switch starts at the first socket instead
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
