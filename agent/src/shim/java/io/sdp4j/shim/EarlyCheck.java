package io.sdp4j.shim;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Reads options and rules without the layer. {@code premain} checks them here, so that a mistake is
 * reported at the start and not at the first socket, which may be an hour later. Connections that
 * the rules keep on the kernel need no switch because of this.
 *
 * <p>Defining the whole layer would cost the start of every JVM about 100 ms. The rules, and the
 * classes in which modules declare their settings, need only {@code java.base}. So just these
 * classes are read from the jar, by a loader of their own, and only if something is configured.
 */
final class EarlyCheck extends ClassLoader {
    /** The key under which the switch gets the lines that were printed already. */
    static final String TOLD = "told";

    /** The verdict that forbids TCP. */
    static final String OFFLOAD_ONLY = "OFFLOAD_ONLY";

    private static final String USUAL_FILE = "/etc/libsdp.conf";
    private static final String[] VARIABLES = {"SDP4J_POLICY", "LIBSDP_CONFIG_FILE"};

    /** Whether the rules that {@link #lines} read allowed some connection nothing but offload. */
    static boolean forbadeTcpAtStart;

    /** The rules in force, as the start's check or later {@link Rules} read them; null = none. */
    static volatile Object opened;

    private static boolean readAtStart; // whether there was a file of rules then

    private EarlyCheck() {
        super(ClassLoader.getPlatformClassLoader());
    }

    /**
     * Returns the lines to print, in the words that would come at the first socket. Empty if
     * nothing is configured, all is well, or it cannot be found out here.
     *
     * @param options the agent's options
     * @param jdkConf the value of {@code com.sun.sdp.conf}, or null
     */
    @SuppressWarnings("unchecked")
    static List<String> lines(Map<String, String> options, String jdkConf) {
        if (options.isEmpty() && jdkConf == null && !configured()) {
            return List.of();
        }
        try {
            Object check = made("io.sdp4j.agent.StartCheck");
            List<String> lines =
                    ((BiFunction<Map<String, String>, String, List<String>>) check)
                            .apply(options, jdkConf);
            forbadeTcpAtStart = ((BooleanSupplier) check).getAsBoolean();
            readAtStart = ((Supplier<?>) check).get() != null;
            opened = check;
            return List.copyOf(lines);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            return List.of(); // the switch reports the fault when it starts
        }
    }

    /**
     * Returns a function that gives the rules' verdicts on connections, by name; see {@code
     * EarlyRules}.
     *
     * @param options the agent's options, and {@code com.sun.sdp.conf} if it is set
     * @param sink takes lines for the operator
     * @return null if there is no rule file, and none is required
     * @throws IllegalStateException if that cannot be found out here
     */
    @SuppressWarnings("unchecked")
    static BiFunction<InetSocketAddress, InetSocketAddress, String> rules(
            Map<String, String> options, Consumer<String> sink) {
        if (options.get("com.sun.sdp.conf") == null
                && Options.setting("policy") == null
                && !variablesOrFile()
                && !Options.flag("policy.required", false)
                && !readAtStart) {
            return null;
        }
        try {
            return ((BiFunction<
                                    Map<String, String>,
                                    Consumer<String>,
                                    BiFunction<InetSocketAddress, InetSocketAddress, String>>)
                            made("io.sdp4j.agent.EarlyRules"))
                    .apply(options, sink);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Returns the rules as a function that gives verdicts before the switch has started; null if
     * there are no rules. Its result is the name of the verdict for a connection from the address
     * that a socket was bound to, or null, to another address; {@code SWITCH} if the rule does not
     * let the connection begin on the kernel. With null as the second address, the verdict is that
     * for a listener at the first address. With null for both it is {@code OFFLOAD_ONLY} if any
     * connection may have to be offloaded. {@code NO_RULES} stands for a rule file that was
     * refused.
     */
    static BiFunction<InetSocketAddress, InetSocketAddress, String> rules() {
        BiFunction<InetSocketAddress, InetSocketAddress, String> known = Rules.KNOWN;
        Console.printSaid(); // not while the rules are opened: other sockets wait for that
        return known;
    }

    /** Looks up the rules at their first use. */
    private static final class Rules {
        static final BiFunction<InetSocketAddress, InetSocketAddress, String> KNOWN = open();

        private static BiFunction<InetSocketAddress, InetSocketAddress, String> open() {
            Map<String, String> agent = new HashMap<>(Options.given);
            agent.remove(TOLD);
            Printer printer = new Printer();
            BiFunction<InetSocketAddress, InetSocketAddress, String> rules =
                    EarlyCheck.rules(agent, printer);
            printer.opened = true;
            if (rules != null) {
                opened = rules;
            }
            return rules;
        }
    }

    /**
     * Takes lines that were not printed when the JVM started. Lines that are printed while the
     * rules are opened are passed on to the switch, which says them again. Lines about a later file
     * are not.
     */
    private static final class Printer implements Consumer<String> {
        private final String told = Options.given.getOrDefault(TOLD, "");
        private volatile boolean opened;

        @Override
        public void accept(String line) {
            if (Options.flag("quiet", false) || told.contains(line)) {
                return;
            }
            if (!opened) {
                Map<String, String> more = new HashMap<>(Options.given);
                String before = more.get(TOLD);
                more.put(TOLD, before == null ? line : before + "\n" + line);
                Options.given = more; // only this thread does so
            }
            Console.add(line);
        }
    }

    /** Whether the rules allow some connections nothing but offload. */
    static boolean mayForbidTcp() {
        return rules() != null && rules().apply(null, null).equals(OFFLOAD_ONLY);
    }

    /**
     * Returns why TCP must not lead to {@code address}, a proxy or a destination behind one; null =
     * it may.
     */
    static String refusal(Object address) {
        if (address instanceof InetSocketAddress to
                && mayForbidTcp()
                && rules().apply(null, to).equals(OFFLOAD_ONLY)) {
            return "Connection refused ("
                    + to
                    + " would be reached by TCP, because of a SOCKS proxy; a rule allows nothing"
                    + " but offload there)";
        }
        return null;
    }

    /**
     * Whether there may be connections that must not use TCP, although the switch could not start.
     */
    static boolean leavesForbidden() {
        try {
            return mayForbidTcp();
        } catch (RuntimeException | LinkageError e) {
            return forbadeTcpAtStart;
        }
    }

    private static Object made(String name) throws ReflectiveOperationException {
        return Loader.ONE.loadClass(name).getConstructor().newInstance();
    }

    /** The agent jar, open since the start, so that it may be replaced while the JVM runs. */
    static ZipFile jar() {
        return Loader.JAR;
    }

    /** Holds the one loader. */
    private static final class Loader {
        static final EarlyCheck ONE = new EarlyCheck();
        static final ZipFile JAR = open();

        private static ZipFile open() {
            try {
                return new ZipFile(new File(Layer.agentJar()));
            } catch (IOException | URISyntaxException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static boolean configured() {
        for (String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith("sdp4j.")) {
                return true;
            }
        }
        return variablesOrFile();
    }

    private static boolean variablesOrFile() {
        for (String name : VARIABLES) {
            if (System.getenv(name) != null) {
                return true;
            }
        }
        return new File(USUAL_FILE).exists();
    }

    /**
     * Finds the entry of a class, whose package begins with the name of its module; null if there
     * is none.
     */
    private static ZipEntry entry(String name) {
        String file = name.replace('.', '/').concat(".class");
        ZipEntry found = null;
        for (int end = name.lastIndexOf('.'); found == null && end > 0; ) {
            String module = name.substring(0, end);
            found = Loader.JAR.getEntry(Bundle.FOLDER.concat(module).concat("/").concat(file));
            end = module.lastIndexOf('.');
        }
        return found;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        ZipEntry entry = entry(name);
        if (entry == null) {
            throw new ClassNotFoundException(name);
        }
        try (InputStream in = Loader.JAR.getInputStream(entry)) {
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
