package io.sdp4j.testing;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;

/** Looks into compiled classes. */
public final class Bytecode {
    /** HotSpot's {@code FreqInlineSize}: a longer method is not compiled into its callers. */
    public static final int MOST_INLINED_BYTES = 325;

    private Bytecode() {}

    /** Bytes of the first method of that name and type. */
    public static int length(Class<?> type, String name, String descriptor) throws IOException {
        byte[] file;
        try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
            file = in.readAllBytes();
        }
        for (MethodModel method : ClassFile.of().parse(file).methods()) {
            if (method.methodName().equalsString(name)
                    && method.methodType().equalsString(descriptor)) {
                return ((CodeAttribute) method.code().orElseThrow()).codeLength();
            }
        }
        throw new IllegalArgumentException(type + " has no " + name + descriptor);
    }
}
