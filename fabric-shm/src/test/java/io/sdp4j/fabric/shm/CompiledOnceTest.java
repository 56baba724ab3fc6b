package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import org.junit.jupiter.api.Test;

/** Goal: what waits is too long for the compilers to compile it into its callers. */
final class CompiledOnceTest {
    /** HotSpot's {@code FreqInlineSize}. */
    private static final int MOST_INLINED_BYTES = 325;

    @Test
    void aWait() throws Exception {
        byte[] file;
        try (InputStream in = Waiter.class.getResourceAsStream("Waiter.class")) {
            file = in.readAllBytes();
        }
        for (MethodModel method : ClassFile.of().parse(file).methods()) {
            if (method.methodName().equalsString("await")) {
                int bytes = ((CodeAttribute) method.code().orElseThrow()).codeLength();
                assertTrue(bytes > MOST_INLINED_BYTES, bytes + " bytes");
                return;
            }
        }
        throw new AssertionError("no such method");
    }
}
