package io.sdp4j.offload.jdk;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.FieldRefEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.module.ModuleReader;
import java.net.SocketImpl;
import java.net.SocketImplAccess;
import java.util.List;
import sun.nio.ch.AsynchronousAccess;
import sun.nio.ch.ChannelAccess;
import sun.nio.ch.SelChImpl;

/**
 * Defines our classes in the JDK's packages, from {@code src/jdk}, once in a JVM.
 *
 * <p>Initialising this class fails when this JDK does not take them or lacks a method that they
 * call. The events of the flight recorder are not checked; they are left out if they are missing.
 * Initialising runs no code of the JDK's sockets.
 */
final class JdkClasses {
    private static final String FOLDER = "sdp4j-jdk/";

    static final SocketImplAccess SOCKETS =
            (SocketImplAccess) define(SocketImpl.class, "java.net.SocketImplAccess");
    static final ChannelAccess CHANNELS =
            (ChannelAccess) define(SelChImpl.class, "sun.nio.ch.ChannelAccess");

    static {
        Class<?> _ =
                defineAll(
                        SelChImpl.class,
                        "sun.nio.ch.SecondQueue",
                        "sun.nio.ch.EarlyAccept",
                        "sun.nio.ch.ListeningChannel$Elsewhere",
                        "sun.nio.ch.ListeningChannel",
                        "sun.nio.ch.Carrier",
                        "sun.nio.ch.ConnectionSwitch",
                        "sun.nio.ch.ConnectionChannel$Unsendable",
                        "sun.nio.ch.ConnectionChannel$Plain",
                        "sun.nio.ch.ConnectionChannel$Kernel",
                        "sun.nio.ch.ConnectionChannel");
    }

    /** Defined only where there are asynchronous channels. */
    static final class Asynchronous {
        static final AsynchronousAccess CHANNELS =
                (AsynchronousAccess)
                        define(
                                SelChImpl.class,
                                "sun.nio.ch.AsynchronousAccess$Watcher",
                                "sun.nio.ch.AsynchronousAccess");

        private Asynchronous() {}
    }

    private JdkClasses() {}

    /**
     * Defines classes, unless another copy of this module has done so.
     *
     * @return the one object of the last class
     */
    private static Object define(Class<?> neighbour, String... names) {
        try {
            Class<?> last = defineAll(neighbour, names);
            return MethodHandles.privateLookupIn(last, MethodHandles.lookup())
                    .findStaticVarHandle(last, "ONLY", last)
                    .get();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Defines classes as {@link #define} does, and returns the last of them. */
    private static Class<?> defineAll(Class<?> neighbour, String... names) {
        try {
            Lookup in = MethodHandles.privateLookupIn(neighbour, MethodHandles.lookup());
            Class<?> last = null;
            for (String name : names) {
                byte[] file = classFile(name);
                requireAll(in, file, List.of(names));
                try {
                    last = in.defineClass(file);
                } catch (LinkageError e) {
                    last = Class.forName(name, false, null);
                }
            }
            return last;
        } catch (IOException | ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static byte[] classFile(String name) throws IOException {
        String path = FOLDER + name.replace('.', '/') + ".class";
        Module own = JdkClasses.class.getModule();
        if (own.getLayer() == null) {
            // from the loader: Class.getResourceAsStream would load the classes for jar: URLs
            try (InputStream in = JdkClasses.class.getClassLoader().getResourceAsStream(path)) {
                return in.readAllBytes();
            }
        }
        // the loader of a layer would open the jar by its path, where another may lie by now
        try (ModuleReader reader =
                        own.getLayer()
                                .configuration()
                                .findModule(own.getName())
                                .orElseThrow()
                                .reference()
                                .open();
                InputStream in = reader.open(path).orElseThrow()) {
            return in.readAllBytes();
        }
    }

    /**
     * Fails unless every method exists that the class file calls in its own package.
     *
     * @param in a lookup in that package
     * @param ours classes whose methods are not checked, as they are not defined yet
     */
    static void requireAll(Lookup in, byte[] file, List<String> ours)
            throws ReflectiveOperationException {
        String own = in.lookupClass().getPackageName();
        var parsed = ClassFile.of().parse(file);
        for (PoolEntry entry : parsed.constantPool()) {
            if (entry instanceof MemberRefEntry member && !(entry instanceof FieldRefEntry)) {
                String owner = member.owner().asInternalName().replace('/', '.');
                if (owner.startsWith(own + ".") && !ours.contains(owner)) {
                    require(owner, member.name().stringValue(), member.type().stringValue());
                }
            }
        }
    }

    /** Fails unless class {@code owner} has that method or constructor. */
    static void require(String owner, String name, String type)
            throws ReflectiveOperationException {
        Class<?> in = Class.forName(owner, false, null);
        MethodType signature = MethodType.fromMethodDescriptorString(type, null);
        if (name.equals("<init>")) {
            var _ = in.getDeclaredConstructor(signature.parameterArray());
        } else if (in.getDeclaredMethod(name, signature.parameterArray()).getReturnType()
                != signature.returnType()) {
            throw new NoSuchMethodException(owner + "." + name + type);
        }
    }
}
