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
 * The rights that the JVM gives an agent and that the switch needs after {@code premain}.
 *
 * <p>Every library on the class path can read our fields by reflection, so no field of ours holds
 * the JVM's {@code Instrumentation}. It is in an object that only an object of the JDK refers to,
 * in a field of {@code java.base} that is closed to reflection. That object does only what {@link
 * Deed} lists, with arguments that are fixed here. Keeping it in a module of our own would cost
 * every start of a JVM some 50 ms, in a bound method handle some 10 ms.
 */
final class Grants {
    /** The rights that can be asked for. */
    enum Deed {
        /** Returns a new {@link Layer}, whose modules have the access to the JDK that they need. */
        LAYER,
        /** Removes both socket factories. */
        REMOVE_FACTORIES,
        /** Returns the maker of early sockets, or null. */
        EARLY_SOCKETS,
        /** Returns the {@link EarlyChannels}, or null. */
        EARLY_CHANNELS,
        /** Returns makers of the JDK's own sockets. */
        JDK_SOCKETS,
        /** Returns the JDK's own selector provider. */
        JDK_CHANNELS,
        /** Returns the JDK's own provider of asynchronous channels. */
        JDK_ASYNCHRONOUS_CHANNELS,
        /**
         * Has the JDK's file channels offer their bytes to switched channels first: a sentence if
         * that could not be done.
         */
        PATCH_FILES,
        /** Makes the JDK's SOCKS client obey rules; a sentence if that fails. */
        PATCH_SOCKS,
        /** Returns the loaded classes; null while the JVM ends. */
        LOADED_CLASSES
    }

    static Grants given; // set once, when the agent is installed

    private static final String AGENT = "io.sdp4j.agent";
    private static final String OFFLOAD = "io.sdp4j.offload";
    private static final String LINUX = "io.sdp4j.linux";

    /** A comparator of the JDK's around an {@link Actor}. */
    private final Comparator<Object> act;

    Grants(Instrumentation instrumentation) {
        act = Collections.reverseOrder(new Actor(instrumentation));
    }

    /** Does the deed and returns its result, or null. */
    Object ask(Deed deed) {
        Object[] answer = new Object[1];
        int _ = act.compare(answer, deed);
        return answer[0];
    }

    /**
     * A comparator only because the JDK has a class that keeps one, calls it, and shows it to no
     * other code. It does the deed that is its first argument and puts the answer into the second.
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

    /**
     * Makes a new layer. Access must not go to a layer that other code has put into a field of
     * ours.
     */
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

    /**
     * Gives packages of {@code java.base} to one module; packages that this JDK lacks are left out.
     */
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
