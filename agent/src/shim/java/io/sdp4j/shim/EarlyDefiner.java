package io.sdp4j.shim;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.util.function.Function;

/**
 * Defines classes of {@code java.base}; loaded by {@link JdkDefiner}, whose classes alone may do
 * that. Knows no other class of ours.
 */
public final class EarlyDefiner implements Function<Object[], Object> {
    /** For {@link JdkDefiner}. */
    public EarlyDefiner() {}

    /**
     * Defines them.
     *
     * @param given a class of their package; the class files
     * @return an object of the last one
     */
    @Override
    public Object apply(Object[] given) {
        try {
            MethodHandles.Lookup in =
                    MethodHandles.privateLookupIn((Class<?>) given[0], MethodHandles.lookup());
            Class<?> last = null;
            for (byte[] file : (byte[][]) given[1]) {
                last = in.defineClass(file);
            }
            Constructor<?> constructor = last.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
