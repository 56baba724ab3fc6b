package io.sdp4j.shim;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.Set;

/**
 * Takes our factories out of {@code java.net} again, and makes the JDK's own sockets and providers
 * for calls that are already on their way through ours.
 *
 * <p>Used when the switch cannot start, for sockets that its start itself opens, and where another
 * socket factory is installed; {@link #missing} is used at every start. All other methods open a
 * package to the unnamed module, because the module that normally does this work may be the one
 * that failed.
 */
final class KernelImpl {
    private KernelImpl() {}

    /**
     * Returns the member of the JDK that this class needs and this JDK lacks, or null. Opens no
     * package.
     */
    static String missing() {
        try {
            Class.forName("sun.nio.ch.DefaultSelectorProvider", false, null).getMethod("get");
            boolean fits =
                    isFactory(factoryOf(Socket.class))
                            && isFactory(factoryOf(ServerSocket.class))
                            && SocketImpl.class.isAssignableFrom(platform().getReturnType())
                            && SocketImpl.class.isAssignableFrom(socks().getDeclaringClass());
            return fits ? null : "java.net.Socket.factory of the known type";
        } catch (ReflectiveOperationException e) {
            return e.getMessage();
        }
    }

    /** Removes the factory of {@code type}, if it is ours. */
    static void removeFactory(Instrumentation instrumentation, Class<?> type) {
        try {
            open(instrumentation, "java.net");
            Field factory = factoryOf(type);
            factory.setAccessible(true);
            if (factory.get(null) instanceof Boot.Factory) {
                factory.set(null, null);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Returns makers of the implementations that {@code new Socket()} and {@code new
     * ServerSocket()} have without factories.
     */
    static SocketImplFactory[] factories(Instrumentation instrumentation) {
        open(instrumentation, "java.net");
        return new SocketImplFactory[] {() -> create(false), () -> create(true)};
    }

    /** Returns what {@code SelectorProvider.provider()} gives without a property. */
    static SelectorProvider channels(Instrumentation instrumentation) {
        return (SelectorProvider)
                ofJdk(instrumentation, "sun.nio.ch.DefaultSelectorProvider", "get");
    }

    /**
     * Returns a provider like that of {@code AsynchronousChannelProvider.provider()} without a
     * property.
     */
    static AsynchronousChannelProvider asynchronous(Instrumentation instrumentation) {
        return (AsynchronousChannelProvider)
                ofJdk(instrumentation, "sun.nio.ch.DefaultAsynchronousChannelProvider", "create");
    }

    private static Object ofJdk(Instrumentation instrumentation, String type, String method) {
        open(instrumentation, "sun.nio.ch");
        try {
            return Class.forName(type, true, null).getMethod(method).invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SocketImpl create(boolean server) {
        try {
            Method platform = platform();
            platform.setAccessible(true);
            SocketImpl impl = (SocketImpl) platform.invoke(null, server);
            if (server) {
                return impl;
            }
            Constructor<?> socks = socks();
            socks.setAccessible(true);
            return (SocketImpl) socks.newInstance(impl);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field factoryOf(Class<?> type) throws NoSuchFieldException {
        return type.getDeclaredField("factory");
    }

    private static boolean isFactory(Field field) {
        return Modifier.isStatic(field.getModifiers())
                && !Modifier.isFinal(field.getModifiers())
                && field.getType() == SocketImplFactory.class;
    }

    private static Method platform() throws NoSuchMethodException {
        return SocketImpl.class.getDeclaredMethod("createPlatformSocketImpl", boolean.class);
    }

    private static Constructor<?> socks() throws ReflectiveOperationException {
        return Class.forName("java.net.SocksSocketImpl", false, null)
                .getDeclaredConstructor(SocketImpl.class);
    }

    private static void open(Instrumentation instrumentation, String packageName) {
        instrumentation.redefineModule(
                Socket.class.getModule(),
                Set.of(),
                Map.of(),
                Map.of(packageName, Set.of(KernelImpl.class.getModule())),
                Set.of(),
                Map.of());
    }
}
