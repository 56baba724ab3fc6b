package io.sdp4j.shim;

import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What the JVM lets an agent do, as far as the switch needs it after {@code premain}.
 *
 * <p>Every library on the class path can read our fields by reflection. So no field has the JVM's
 * {@code Instrumentation}: it is bound into a method handle, whose fields are java.base's and
 * closed. The handle does nothing but what {@link Deed} lists, with arguments that are fixed here.
 * A module of our own to keep it in costs every start of a JVM some 50 ms.
 */
final class Grants {
    /** What can be asked for. */
    enum Deed {
        /** The layer, with access for its modules to what they need of the JDK: a {@link Layer}. */
        LAYER,
        /** Takes both socket factories out. */
        REMOVE_FACTORIES,
        /** Makers of sockets as they are without factories. */
        JDK_SOCKETS,
        /** The JDK's own selector provider. */
        JDK_CHANNELS,
        /** The JDK's own provider of asynchronous channels. */
        JDK_ASYNCHRONOUS_CHANNELS,
        /** Patches {@code sun.nio.ch.Streams}: whether it could be done. */
        PATCH_STREAMS,
        /** Patches {@code sun.nio.ch.FileChannelImpl}: whether it could be done. */
        PATCH_FILES,
        /** The classes that are loaded; null while the JVM ends. */
        LOADED_CLASSES
    }

    private static final String AGENT = "io.sdp4j.agent";
    private static final String OFFLOAD = "io.sdp4j.offload";

    /** Takes a {@link Deed}; the first argument is bound. */
    private final MethodHandle act;

    Grants(Instrumentation instrumentation) {
        try {
            act =
                    MethodHandles.insertArguments(
                            MethodHandles.lookup()
                                    .findStatic(
                                            Grants.class,
                                            "act",
                                            MethodType.methodType(
                                                    Object.class,
                                                    Instrumentation.class,
                                                    Deed.class)),
                            0,
                            instrumentation);
        } catch (NoSuchMethodException | IllegalAccessException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** Does it and returns what the deed is for. */
    Object ask(Deed deed) {
        try {
            return (Object) act.invokeExact(deed);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    @SuppressWarnings("UnusedMethod") // by the handle
    private static Object act(Instrumentation instrumentation, Deed deed) {
        return switch (deed) {
            case LAYER -> layer(instrumentation);
            case REMOVE_FACTORIES -> {
                KernelImpl.removeFactory(instrumentation, Socket.class);
                KernelImpl.removeFactory(instrumentation, ServerSocket.class);
                yield null;
            }
            case JDK_SOCKETS -> KernelImpl.factories(instrumentation);
            case JDK_CHANNELS -> KernelImpl.channels(instrumentation);
            case JDK_ASYNCHRONOUS_CHANNELS -> KernelImpl.asynchronous(instrumentation);
            case PATCH_STREAMS -> new StreamsPatch().apply(instrumentation);
            case PATCH_FILES -> new FilesPatch().apply(instrumentation);
            case LOADED_CLASSES -> instrumentation.getAllLoadedClasses();
        };
    }

    /** A new layer: access may not go to one that somebody has put into a field of ours. */
    private static Layer layer(Instrumentation instrumentation) {
        Layer layer = Layer.define();
        access(
                instrumentation,
                Set.of("sun.nio.ch", "jdk.internal.access", "jdk.internal.event"),
                Set.of("java.net", "sun.nio.ch", "java.nio.channels.spi"),
                layer.module(OFFLOAD));
        access(
                instrumentation,
                Set.of("jdk.internal.module"),
                Set.of("sun.net", "sun.net.sdp"),
                layer.module(AGENT));
        return layer;
    }

    /** Gives packages of java.base to one module; those this JDK lacks are left out. */
    private static void access(
            Instrumentation instrumentation, Set<String> exported, Set<String> opened, Module to) {
        Module base = Object.class.getModule();
        instrumentation.redefineModule(
                base,
                Set.of(),
                grant(base, exported, to),
                grant(base, opened, to),
                Set.of(),
                Map.of());
    }

    private static Map<String, Set<Module>> grant(Module base, Set<String> packages, Module to) {
        Map<String, Set<Module>> grants = new HashMap<>();
        for (String p : packages) {
            if (base.getPackages().contains(p)) {
                grants.put(p, Set.of(to));
            }
        }
        return grants;
    }
}
