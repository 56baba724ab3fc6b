package io.sdp4j.shim;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.Socket;
import java.net.SocketImplFactory;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.function.ToIntBiFunction;

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
     * @param given the class files, of which the last has the method {@code factory}; the first two
     *     of its arguments in one object; the third
     * @return what that method returns
     */
    @Override
    public SocketImplFactory apply(Object[] given) {
        try {
            MethodHandles.Lookup net =
                    MethodHandles.privateLookupIn(Socket.class, MethodHandles.lookup());
            Class<?> last = null;
            for (byte[] file : (byte[][]) given[0]) {
                last = net.defineClass(file);
            }
            MethodHandle factory =
                    net.findStatic(
                            last,
                            "factory",
                            MethodType.methodType(
                                    SocketImplFactory.class,
                                    ToIntBiFunction.class,
                                    Function.class,
                                    AtomicLongArray.class));
            return (SocketImplFactory)
                    factory.invokeExact(
                            (ToIntBiFunction<?, ?>) given[1],
                            (Function<?, ?>) given[1],
                            (AtomicLongArray) given[2]);
        } catch (Error | RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
