package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A class of the JDK that cannot be changed is told to the user, but not while the JVM ends. */
final class JdkPatchTest {
    @Test
    void aJdkThatIsNotAsExpectedIsTold() throws Exception {
        List<?> told = apply(new Class<?>[0]);
        assertEquals(1, told.size(), told::toString);
        assertTrue(told.getFirst().toString().contains("transferTo"), told::toString);
    }

    /** While a JVM ends it changes no class and names none. */
    @Test
    void anEndingJvmIsNoFault() throws Exception {
        assertEquals(List.of(), apply(null));
    }

    /** Sentences about a patch in a JVM that changes nothing and has those classes loaded. */
    private static List<?> apply(Class<?>[] loaded) throws Exception {
        Instrumentation idle =
                (Instrumentation)
                        Proxy.newProxyInstance(
                                JdkPatchTest.class.getClassLoader(),
                                new Class<?>[] {Instrumentation.class},
                                (_, method, _) ->
                                        switch (method.getName()) {
                                            case "getAllLoadedClasses" -> loaded;
                                            case "removeTransformer" -> true;
                                            default -> null;
                                        });
        URL shim = Path.of("target/layout/").toUri().toURL();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {shim}, null)) {
            Class<?> files = loader.loadClass("io.sdp4j.shim.FilesPatch");
            Constructor<?> make = files.getDeclaredConstructor();
            make.setAccessible(true);
            Object patches = Array.newInstance(files.getSuperclass(), 1);
            Array.set(patches, 0, make.newInstance());
            Method apply =
                    files.getSuperclass()
                            .getDeclaredMethod("apply", Instrumentation.class, patches.getClass());
            apply.setAccessible(true);
            return (List<?>) apply.invoke(null, idle, patches);
        }
    }
}
