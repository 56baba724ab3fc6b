package io.sdp4j.offload.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a call of the kernel is not compiled into its callers, which soon make it no more. */
final class KernelCallsTest {
    private static final String OURS_IN_THE_JDK = "/sdp4j-jdk/";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java/net/SocketImplAccess.read",
                "java/net/SocketImplAccess.write",
                "sun/nio/ch/ConnectionChannel$Kernel.read",
                "sun/nio/ch/ConnectionChannel$Kernel.write",
                "sun/nio/ch/ConnectionChannel$Kernel.blockingRead",
                "sun/nio/ch/ConnectionChannel$Kernel.blockingWrite"
            })
    void isCompiledApart(String call) throws Exception {
        int dot = call.indexOf('.');
        String path = OURS_IN_THE_JDK + call.substring(0, dot) + ".class";
        byte[] file;
        try (InputStream in = JdkClasses.class.getResourceAsStream(path)) {
            file = in.readAllBytes();
        }
        List<MethodModel> methods =
                ClassFile.of().parse(file).methods().stream()
                        .filter(m -> m.methodName().equalsString(call.substring(dot + 1)))
                        .toList();
        assertFalse(methods.isEmpty());
        for (MethodModel method : methods) {
            assertEquals(
                    List.of("Ljdk/internal/vm/annotation/DontInline;"),
                    method.findAttribute(Attributes.runtimeVisibleAnnotations()).stream()
                            .flatMap(a -> a.annotations().stream())
                            .map(a -> a.className().stringValue())
                            .toList());
        }
    }
}
