package io.sdp4j.shim;

import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * Teaches {@code sun.nio.ch.Streams} to let a channel make its own streams (NIO-24).
 *
 * <p>The streams that it makes for a channel it does not know hold a lock while they wait, so that
 * a reader keeps every writer waiting, for ever if the answer depends on it. The added code
 * mentions types of the JDK only: a channel of a selector ({@code SelChImpl}) that is a {@code
 * Supplier} gives its input stream, one that is a {@code Callable} its output stream.
 */
final class StreamsPatch implements ClassFileTransformer {
    private static final String STREAMS = "sun.nio.ch.Streams";
    private static final ClassDesc CHANNEL = ClassDesc.of("sun.nio.ch.SelChImpl");
    private static final ClassDesc INPUT = desc(InputStream.class);
    private static final ClassDesc OUTPUT = desc(OutputStream.class);

    /** Methods that were found and changed. */
    private int patched;

    private StreamsPatch() {}

    private static ClassDesc desc(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    /** Patches the class; false, and nothing has changed, if this JDK's is not as expected. */
    static boolean apply(Instrumentation instrumentation) {
        StreamsPatch patch = new StreamsPatch();
        try {
            Class<?> streams = Class.forName(STREAMS, false, null);
            instrumentation.addTransformer(patch, true);
            instrumentation.retransformClasses(streams);
            return patch.patched == 2;
        } catch (Exception | LinkageError e) {
            return false;
        } finally {
            instrumentation.removeTransformer(patch);
        }
    }

    @Override
    public byte[] transform(
            ClassLoader loader,
            String name,
            Class<?> redefined,
            ProtectionDomain domain,
            byte[] bytes) {
        if (!STREAMS.replace('.', '/').equals(name)) {
            return null;
        }
        ClassFile file = ClassFile.of();
        return file.transformClass(
                file.parse(bytes),
                (builder, element) -> {
                    if (element instanceof MethodModel method && gives(method, INPUT)) {
                        patch(builder, method, desc(Supplier.class), "get", INPUT);
                    } else if (element instanceof MethodModel method && gives(method, OUTPUT)) {
                        patch(builder, method, desc(Callable.class), "call", OUTPUT);
                    } else {
                        builder.with(element);
                    }
                });
    }

    private static boolean gives(MethodModel method, ClassDesc result) {
        return method.methodName().equalsString("of")
                && method.methodTypeSymbol().returnType().equals(result);
    }

    private void patch(
            ClassBuilder builder,
            MethodModel method,
            ClassDesc type,
            String maker,
            ClassDesc result) {
        patched++;
        builder.transformMethod(
                method, MethodTransform.transformingCode(before(type, maker, result)));
    }

    /** {@code if (ch instanceof SelChImpl && ch instanceof T t) return (R) t.maker();} */
    private static CodeTransform before(ClassDesc type, String maker, ClassDesc result) {
        return new CodeTransform() {
            @Override
            public void atStart(CodeBuilder code) {
                Label original = code.newLabel();
                code.aload(0)
                        .instanceOf(CHANNEL)
                        .ifeq(original)
                        .aload(0)
                        .instanceOf(type)
                        .ifeq(original)
                        .aload(0)
                        .checkcast(type)
                        .invokeinterface(type, maker, MethodTypeDesc.of(ConstantDescs.CD_Object))
                        .checkcast(result)
                        .areturn()
                        .labelBinding(original);
            }

            @Override
            public void accept(CodeBuilder code, CodeElement element) {
                code.with(element);
            }
        };
    }
}
