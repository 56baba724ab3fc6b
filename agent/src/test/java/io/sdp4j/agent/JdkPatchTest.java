package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Classes of the JDK that cannot be changed are told to the user, but not while the JVM ends. */
final class JdkPatchTest {
    private final List<ClassFileTransformer> transformers = new ArrayList<>();
    private final List<List<String>> changed = new ArrayList<>();

    @Test
    void aJdkThatIsNotAsExpectedIsTold() throws Exception {
        List<?> told = apply(0, new Class<?>[0], "FilesPatch");
        assertEquals(1, told.size(), told::toString);
        assertTrue(told.getFirst().toString().contains("transferTo"), told::toString);
    }

    /** While a JVM ends it changes no class and names none. */
    @Test
    void anEndingJvmIsNoFault() throws Exception {
        assertEquals(List.of(), apply(0, null, "FilesPatch"));
    }

    @Test
    void severalClassesAreChangedInOnePause() throws Exception {
        assertEquals(List.of(), apply(2, new Class<?>[0], "StreamsPatch", "FilesPatch"));
        assertEquals(List.of(List.of("Streams", "FileChannelImpl")), changed);
    }

    @Test
    void classesThatCannotBeChangedTogetherAreChangedOneByOne() throws Exception {
        assertEquals(List.of(), apply(1, new Class<?>[0], "StreamsPatch", "FilesPatch"));
        assertEquals(List.of(List.of("Streams"), List.of("FileChannelImpl")), changed);
    }

    /**
     * Sentences about patches in a JVM that has those classes loaded.
     *
     * @param most classes that it changes at a time; each by its transformers, as the JVM does
     */
    private List<?> apply(int most, Class<?>[] loaded, String... names) throws Exception {
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
                                                    change(most, (Class<?>[]) args[0]);
                                            default -> null;
                                        });
        URL shim = Path.of("target/layout/").toUri().toURL();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {shim}, null)) {
            Class<?> patch = loader.loadClass("io.sdp4j.shim.JdkPatch");
            Object patches = Array.newInstance(patch, names.length);
            for (int i = 0; i < names.length; i++) {
                Constructor<?> make =
                        loader.loadClass("io.sdp4j.shim." + names[i]).getDeclaredConstructor();
                make.setAccessible(true);
                Array.set(patches, i, make.newInstance());
            }
            Method apply =
                    patch.getDeclaredMethod("apply", Instrumentation.class, patches.getClass());
            apply.setAccessible(true);
            List<?> told = (List<?>) apply.invoke(null, jvm, patches);
            assertEquals(List.of(), transformers);
            return told;
        }
    }

    private Object change(int most, Class<?>[] classes) throws Exception {
        if (most == 0) {
            return null;
        }
        if (classes.length > most) {
            throw new UnsupportedOperationException();
        }
        List<String> names = new ArrayList<>();
        for (Class<?> type : classes) {
            names.add(type.getSimpleName());
            String file = type.getName().replace('.', '/');
            byte[] bytes = Object.class.getResourceAsStream("/" + file + ".class").readAllBytes();
            for (ClassFileTransformer transformer : transformers) {
                byte[] now = transformer.transform(null, file, type, null, bytes);
                bytes = now == null ? bytes : now;
            }
        }
        changed.add(names);
        return null;
    }
}
