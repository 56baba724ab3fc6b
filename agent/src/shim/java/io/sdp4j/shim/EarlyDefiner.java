package io.sdp4j.shim;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.net.Socket;
import java.net.SocketImplFactory;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Defines classes of {@code java.net}; loaded by {@link EarlyClasses}, whose classes alone may do
 * that. Knows no other class of ours.
 */
public final class EarlyDefiner implements Function<Object[], SocketImplFactory> {
    /** For {@link EarlyClasses}. */
    public EarlyDefiner() {}

    /**
     * Defines them.
     *
     * @param given the class files, of which the last is the maker of sockets; what that is given
     * @return the maker
     */
    @Override
    @SuppressWarnings("unchecked")
    public SocketImplFactory apply(Object[] given) {
        try {
            MethodHandles.Lookup net =
                    MethodHandles.privateLookupIn(Socket.class, MethodHandles.lookup());
            Class<?> last = null;
            for (byte[] file : (byte[][]) given[0]) {
                last = net.defineClass(file);
            }
            Constructor<?> constructor = last.getDeclaredConstructor();
            constructor.setAccessible(true);
            Object maker = constructor.newInstance();
            ((Consumer<Object[]>) maker).accept((Object[]) given[1]);
            return (SocketImplFactory) maker;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
