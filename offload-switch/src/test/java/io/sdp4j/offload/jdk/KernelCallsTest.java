package io.sdp4j.offload.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a call of the kernel is not compiled into its callers, which soon make it no more. */
final class KernelCallsTest {
    private static final String CLASS_FILE = "/sdp4j-jdk/java/net/SocketImplAccess.class";

    @ParameterizedTest
    @ValueSource(strings = {"read", "write"})
    void isCompiledApart(String name) throws Exception {
        byte[] file;
        try (InputStream in = JdkClasses.class.getResourceAsStream(CLASS_FILE)) {
            file = in.readAllBytes();
        }
        MethodModel method =
                ClassFile.of().parse(file).methods().stream()
                        .filter(m -> m.methodName().equalsString(name))
                        .findFirst()
                        .orElseThrow();
        assertEquals(
                List.of("Ljdk/internal/vm/annotation/DontInline;"),
                method.findAttribute(Attributes.runtimeVisibleAnnotations()).stream()
                        .flatMap(a -> a.annotations().stream())
                        .map(a -> a.className().stringValue())
                        .toList());
    }
}
