package io.sdp4j.shim;

import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Teaches {@code sun.nio.ch.Streams} to let a channel make its own streams (behaviour 56).
 *
 * <p>The streams that it makes for a channel it does not know hold a lock while they wait, so that
 * a reader keeps every writer waiting, for ever if the answer depends on it. Here a channel of a
 * selector that is a {@code Supplier} gives its input stream, one that is a {@code Callable} its
 * output stream.
 */
final class StreamsPatch extends JdkPatch {
    private static final ClassDesc INPUT = desc(InputStream.class);
    private static final ClassDesc OUTPUT = desc(OutputStream.class);

    StreamsPatch() {
        super(
                "sun.nio.ch.Streams",
                2,
                "Channels.newInputStream and newOutputStream of one offloaded channel wait for"
                        + " each other: this JDK does not let them be told apart");
    }

    @Override
    Consumer<CodeBuilder> before(MethodModel method) {
        ClassDesc result = method.methodTypeSymbol().returnType();
        if (!method.methodName().equalsString("of")) {
            return null;
        }
        if (result.equals(INPUT)) {
            return code -> make(code, desc(Supplier.class), "get", INPUT);
        }
        return result.equals(OUTPUT)
                ? code -> make(code, desc(Callable.class), "call", OUTPUT)
                : null;
    }

    /** {@code if (ch instanceof SelChImpl && ch instanceof T t) return (R) t.maker();} */
    private static void make(CodeBuilder code, ClassDesc type, String maker, ClassDesc result) {
        Label original = code.newLabel();
        code.aload(0)
                .instanceOf(SELECTABLE)
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
}
