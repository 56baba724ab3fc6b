package io.sdp4j.shim;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.util.function.Function;

/**
 * Defines classes of {@code java.base}. It is loaded by {@link JdkDefiner}, because only classes of
 * that loader may do so. Knows no other class of ours.
 */
public final class EarlyDefiner implements Function<Object[], Object> {
    /** For {@link JdkDefiner}. */
    public EarlyDefiner() {}

    /**
     * Defines classes.
     *
     * @param given a class of their package; then the class files
     * @return a new object of the last class
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
