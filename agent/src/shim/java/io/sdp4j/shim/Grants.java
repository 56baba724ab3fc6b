package io.sdp4j.shim;

import java.lang.instrument.Instrumentation;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Rights that the JVM gives an agent and the switch needs after {@code premain}.
 *
 * <p>Every library on the class path can read our fields by reflection. So no field has the JVM's
 * {@code Instrumentation}: it is in an object that only one of the JDK's has, in a field that is
 * java.base's and closed. That object does nothing but what {@link Deed} lists, with arguments that
 * are fixed here. A module of our own to keep it in costs every start of a JVM some 50 ms, and a
 * method handle that it is bound into some 10.
 */
final class Grants {
    /** The rights that can be asked for. */
    enum Deed {
        /** The layer, with access for its modules to what they need of the JDK: a {@link Layer}. */
        LAYER,
        /** Takes both socket factories out. */
        REMOVE_FACTORIES,
        /** The maker of early client sockets, or null. */
        EARLY_SOCKETS,
        /** The {@link EarlyChannels}, or null. */
        EARLY_CHANNELS,
        /** Makers of sockets as they are without factories. */
        JDK_SOCKETS,
        /** The JDK's own selector provider. */
        JDK_CHANNELS,
        /** The JDK's own provider of asynchronous channels. */
        JDK_ASYNCHRONOUS_CHANNELS,
        /**
         * Has the JDK's file channels offer their bytes to switched channels first: a sentence if
         * that could not be done.
         */
        PATCH_FILES,
        /** Has the JDK's SOCKS client obey rules: a sentence if that could not be done. */
        PATCH_SOCKS,
        /** The classes that are loaded; null while the JVM ends. */
        LOADED_CLASSES
    }

    private static final String AGENT = "io.sdp4j.agent";
    private static final String OFFLOAD = "io.sdp4j.offload";
    private static final String LINUX = "io.sdp4j.linux";

    /** The JDK's, around an {@link Actor}. */
    private final Comparator<Object> act;

    Grants(Instrumentation instrumentation) {
        act = Collections.reverseOrder(new Actor(instrumentation));
    }

    /** Does it and returns what the deed is for. */
    Object ask(Deed deed) {
        Object[] answer = new Object[1];
        int _ = act.compare(answer, deed);
        return answer[0];
    }

    /**
     * A comparator only because the JDK has a class that keeps one, calls it, and shows it to
     * nothing: it does the deed of its first argument and puts the answer into the second.
     */
    private static final class Actor implements Comparator<Object> {
        private final Instrumentation instrumentation;

        Actor(Instrumentation instrumentation) {
            this.instrumentation = instrumentation;
        }

        @Override
        public int compare(Object deed, Object answer) {
            ((Object[]) answer)[0] = act(instrumentation, (Deed) deed);
            return 0;
        }
    }

    private static Object act(Instrumentation instrumentation, Deed deed) {
        return switch (deed) {
            case LAYER -> layer(instrumentation);
            case REMOVE_FACTORIES -> {
                KernelImpl.removeFactory(instrumentation, Socket.class);
                KernelImpl.removeFactory(instrumentation, ServerSocket.class);
                yield null;
            }
            case EARLY_SOCKETS -> EarlySockets.factory(instrumentation);
            case EARLY_CHANNELS -> EarlyChannels.make(instrumentation);
            case JDK_SOCKETS -> KernelImpl.factories(instrumentation);
            case JDK_CHANNELS -> KernelImpl.channels(instrumentation);
            case JDK_ASYNCHRONOUS_CHANNELS -> KernelImpl.asynchronous(instrumentation);
            case PATCH_FILES -> new FilesPatch().apply(instrumentation);
            case PATCH_SOCKS -> new SocksPatch().apply(instrumentation);
            case LOADED_CLASSES -> instrumentation.getAllLoadedClasses();
        };
    }

    /** A new layer: access may not go to one that other code has put into a field of ours. */
    private static Layer layer(Instrumentation instrumentation) {
        Layer layer = Layer.define(instrumentation);
        access(
                instrumentation,
                Set.of("sun.nio.ch", "jdk.internal.access"),
                Set.of("java.net", "sun.nio.ch", "java.nio.channels.spi"),
                layer.module(OFFLOAD));
        access(
                instrumentation,
                Set.of("jdk.internal.module"),
                Set.of("sun.net", "sun.net.sdp"),
                layer.module(AGENT));
        access(instrumentation, Set.of("jdk.internal.misc"), Set.of(), layer.module(LINUX));
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
