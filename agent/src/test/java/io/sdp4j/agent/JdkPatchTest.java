package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Classes of the JDK that cannot be changed are told to the user, but not while the JVM ends. */
final class JdkPatchTest {
    private final List<ClassFileTransformer> transformers = new ArrayList<>();

    @Test
    void aJdkThatIsNotAsExpectedIsTold() throws Exception {
        String told = apply(false, new Class<?>[0], "FilesPatch");
        assertTrue(told.contains("transferTo"), told);
    }

    /** While a JVM ends it changes no class and names none. */
    @Test
    void anEndingJvmIsNoFault() throws Exception {
        assertNull(apply(false, null, "FilesPatch"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"FilesPatch", "SocksPatch"})
    void thisJdkIsAsExpected(String name) throws Exception {
        assertNull(apply(true, new Class<?>[0], name));
    }

    /**
     * The sentence about a patch in a JVM that has those classes loaded, or null.
     *
     * @param changes whether the JVM changes classes; by its transformers
     */
    private String apply(boolean changes, Class<?>[] loaded, String name) throws Exception {
        Instrumentation jvm =
                (Instrumentation)
                        Proxy.newProxyInstance(
                                JdkPatchTest.class.getClassLoader(),
                                new Class<?>[] {Instrumentation.class},
                                (_, method, args) ->
                                        switch (method.getName()) {
                                            case "getAllLoadedClasses" -> loaded;
                                            case "addTransformer" -> {
                                                transformers.add((ClassFileTransformer) args[0]);
                                                yield null;
                                            }
                                            case "removeTransformer" ->
                                                    transformers.remove(args[0]);
                                            case "retransformClasses" ->
                                                    changes ? change((Class<?>[]) args[0]) : null;
                                            default -> null;
                                        });
        URL shim = Path.of("target/layout/").toUri().toURL();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {shim}, null)) {
            Constructor<?> make =
                    loader.loadClass("io.sdp4j.shim." + name).getDeclaredConstructor();
            make.setAccessible(true);
            Method apply =
                    make.getDeclaringClass()
                            .getSuperclass()
                            .getDeclaredMethod("apply", Instrumentation.class);
            apply.setAccessible(true);
            String told = (String) apply.invoke(make.newInstance(), jvm);
            assertEquals(List.of(), transformers);
            return told;
        }
    }

    private Object change(Class<?>... classes) throws Exception {
        for (Class<?> type : classes) {
            String file = type.getName().replace('.', '/');
            byte[] bytes = Object.class.getResourceAsStream("/" + file + ".class").readAllBytes();
            for (ClassFileTransformer transformer : transformers) {
                assertNotNull(transformer.transform(null, file, type, null, bytes));
            }
        }
        return null;
    }
}
