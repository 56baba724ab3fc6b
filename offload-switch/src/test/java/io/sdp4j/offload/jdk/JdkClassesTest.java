package io.sdp4j.offload.jdk;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.net.SocketImpl;
import java.util.List;
import org.junit.jupiter.api.Test;

class JdkClassesTest {
    /** Else a JDK that lacks it would fail in the middle of an application's call. */
    @Test
    void aMethodThatTheJdkLacksIsMissedBeforeAnythingIsDefined() throws Exception {
        MethodHandles.Lookup in =
                MethodHandles.privateLookupIn(SocketImpl.class, MethodHandles.lookup());
        assertDoesNotThrow(() -> JdkClasses.requireAll(in, calling("getLocalPort"), List.of()));
        NoSuchMethodException e =
                assertThrows(
                        NoSuchMethodException.class,
                        () -> JdkClasses.requireAll(in, calling("getLocalHarbour"), List.of()));
        assertTrue(e.getMessage().contains("getLocalHarbour"), e.getMessage());
    }

    private static byte[] calling(String method) {
        ClassDesc impl = ClassDesc.of("java.net.SocketImpl");
        return ClassFile.of()
                .build(
                        ClassDesc.of("java.net.Caller"),
                        type ->
                                type.withMethodBody(
                                        "call",
                                        MethodTypeDesc.of(ConstantDescs.CD_int, impl),
                                        ClassFile.ACC_STATIC,
                                        code ->
                                                code.aload(0)
                                                        .invokevirtual(
                                                                impl,
                                                                method,
                                                                MethodTypeDesc.of(
                                                                        ConstantDescs.CD_int))
                                                        .ireturn()));
    }
}
