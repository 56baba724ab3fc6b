package io.sdp4j.agent.programs;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.jar.JarFile;

/**
 * Looks with reflection, as every library on the class path can, for what only an agent may have:
 * an {@code Instrumentation}, the controller of a module layer, a lookup with full power. Begins at
 * all classes of the jar that is named by the argument, at their static fields and methods, at our
 * providers, channels, sockets and threads, and goes on to whatever they refer to. Prints each
 * find, and how many classes and objects it has seen.
 */
public final class Prying {
    private static final IdentityHashMap<Object, Boolean> SEEN = new IdentityHashMap<>();
    private static final Deque<Object> WAITING = new ArrayDeque<>();
    private static final Set<String> CLASSES = new TreeSet<>();
    private static final Set<String> FOUND = new TreeSet<>();

    private Prying() {}

    public static void main(String[] args) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket server = listener.accept();
                SocketChannel channel = SocketChannel.open();
                AsynchronousSocketChannel other = AsynchronousSocketChannel.open()) {
            see("client", client);
            see("server", server);
            see("channel", channel);
            see("asynchronous channel", other);
            see("channels", SelectorProvider.provider());
            see("asynchronous channels", AsynchronousChannelProvider.provider());
            Thread.getAllStackTraces().keySet().forEach(t -> see("thread", t));
            ClassLoader loaders = channel.provider().getClass().getClassLoader();
            classes(Path.of(args[0]), ClassLoader.getSystemClassLoader(), loaders);
            while (!WAITING.isEmpty()) {
                enter(WAITING.remove());
            }
        }
        FOUND.forEach(System.out::println);
        System.out.println("classes " + CLASSES.size() + " objects " + SEEN.size());
    }

    private static void classes(Path path, ClassLoader application, ClassLoader layer)
            throws IOException {
        try (JarFile jar = new JarFile(path.toFile())) {
            jar.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.endsWith(".class") && name.contains("io/sdp4j/"))
                    .forEach(
                            name -> {
                                String type =
                                        name.substring(name.indexOf("io/sdp4j/"))
                                                .replaceFirst("\\.class$", "")
                                                .replace('/', '.');
                                of(type, name.startsWith("sdp4j-modules/") ? layer : application);
                            });
        }
    }

    private static void of(String type, ClassLoader loader) {
        try {
            statics(Class.forName(type, false, loader));
        } catch (ClassNotFoundException | LinkageError e) {
            // needs what only another module has
        }
    }

    /** Static fields and methods of a class, its superclasses and its interfaces. */
    private static void statics(Class<?> type) {
        if (type == null || !type.getName().startsWith("io.sdp4j.") || own(type)) {
            return;
        }
        if (CLASSES.add(type.getName() + "@" + System.identityHashCode(type))) {
            fields(type, null);
            for (Method m : type.getDeclaredMethods()) {
                if (forbidden(m.getReturnType())
                        && Modifier.isStatic(m.getModifiers())
                        && open(m)) {
                    FOUND.add("method " + m);
                }
            }
            statics(type.getSuperclass());
        }
    }

    private static boolean own(Class<?> type) {
        return type.getPackage() == Prying.class.getPackage();
    }

    private static void enter(Object o) {
        for (Class<?> c = o.getClass(); c != null; c = c.getSuperclass()) {
            statics(c);
            fields(c, o);
        }
        // what the JDK's own classes tell everybody
        switch (o) {
            case Object[] array -> java.util.Arrays.stream(array).forEach(e -> see("element", e));
            case Map<?, ?> map -> map.forEach((k, v) -> both(k, v));
            case Iterable<?> some -> some.forEach(e -> see("element", e));
            case AtomicReference<?> one -> see("reference", one.get());
            case java.lang.ref.Reference<?> one -> see("reference", one.get());
            default -> {}
        }
    }

    private static void both(Object key, Object value) {
        see("key", key);
        see("value", value);
    }

    private static void fields(Class<?> type, Object ofOrNull) {
        for (Field f : type.getDeclaredFields()) {
            if (Modifier.isStatic(f.getModifiers()) == (ofOrNull == null)
                    && !f.getType().isPrimitive()
                    && open(f)) {
                try {
                    see("field " + f, f.get(ofOrNull));
                } catch (IllegalAccessException | LinkageError e) {
                    // a class that does not work here
                }
            }
        }
    }

    private static boolean open(AccessibleObject member) {
        try {
            return member.trySetAccessible();
        } catch (SecurityException e) {
            return false;
        }
    }

    private static boolean forbidden(Class<?> type) {
        return Instrumentation.class.isAssignableFrom(type)
                || ModuleLayer.Controller.class.isAssignableFrom(type);
    }

    private static void see(String where, Object o) {
        if (o == null || o instanceof Class<?> || o instanceof String || SEEN.size() > 1_000_000) {
            return;
        }
        if (forbidden(o.getClass())
                || (o instanceof MethodHandles.Lookup lookup && lookup.hasFullPrivilegeAccess())) {
            FOUND.add(where + " is a " + o.getClass().getName());
        }
        if (SEEN.put(o, true) == null) {
            WAITING.add(o);
        }
    }
}
