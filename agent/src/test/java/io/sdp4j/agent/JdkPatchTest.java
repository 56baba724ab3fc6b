package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.instrument.ClassDefinition;
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
     * @param changes whether the JVM changes classes
     */
    private static String apply(boolean changes, Class<?>[] loaded, String name) throws Exception {
        List<ClassDefinition> defined = new ArrayList<>();
        Instrumentation jvm =
                (Instrumentation)
                        Proxy.newProxyInstance(
                                JdkPatchTest.class.getClassLoader(),
                                new Class<?>[] {Instrumentation.class},
                                (_, method, args) -> {
                                    if (method.getName().equals("getAllLoadedClasses")) {
                                        return loaded;
                                    }
                                    assertEquals("redefineClasses", method.getName());
                                    if (!changes) {
                                        throw new UnsupportedOperationException();
                                    }
                                    defined.addAll(List.of((ClassDefinition[]) args[0]));
                                    return null;
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
            for (ClassDefinition changed : defined) {
                String file = changed.getDefinitionClass().getName().replace('.', '/') + ".class";
                byte[] usual = Object.class.getResourceAsStream("/" + file).readAllBytes();
                assertTrue(changed.getDefinitionClassFile().length > usual.length);
            }
            assertEquals(changes ? 1 : 0, defined.size());
            return told;
        }
    }
}
