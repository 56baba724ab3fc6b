package io.sdp4j.shim;

import static java.lang.constant.ConstantDescs.CD_Long;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.channels.WritableByteChannel;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Teaches {@code sun.nio.ch.FileChannelImpl} that a channel may take a file's bytes by a way of its
 * own (behaviour 57): a switched channel that is on the kernel's TCP lets the kernel send them,
 * which the JDK asks of its own class only.
 *
 * <p>Such a channel is a {@code BiFunction} of the file and of position and count; it answers how
 * many bytes it took, or null to have them as before.
 */
final class FilesPatch extends JdkPatch {
    private static final ClassDesc TAKER = desc(BiFunction.class);
    private static final MethodTypeDesc DIRECT =
            MethodTypeDesc.of(CD_long, CD_long, CD_int, desc(WritableByteChannel.class));

    // locals of the method
    private static final int FILE = 0;
    private static final int POSITION = 1;
    private static final int COUNT = 3;
    private static final int TARGET = 4;

    FilesPatch() {
        super(
                "sun.nio.ch.FileChannelImpl",
                1,
                "FileChannel.transferTo copies where a channel fell back to TCP: this JDK does"
                        + " not let it be told that the kernel could send the file");
    }

    @Override
    Consumer<CodeBuilder> before(MethodModel method) {
        return method.methodName().equalsString("transferToDirect")
                        && method.methodTypeSymbol().equals(DIRECT)
                ? FilesPatch::offer
                : null;
    }

    /**
     * {@code if (target instanceof SelChImpl && target instanceof BiFunction f) { Object n =
     * f.apply(this, new long[] {position, count}); if (n != null) return (Long) n; }}.
     */
    private static void offer(CodeBuilder code) {
        Label original = code.newLabel();
        Label declined = code.newLabel();
        code.aload(TARGET)
                .instanceOf(SELECTABLE)
                .ifeq(original)
                .aload(TARGET)
                .instanceOf(TAKER)
                .ifeq(original)
                .aload(TARGET)
                .checkcast(TAKER)
                .aload(FILE)
                .iconst_2()
                .newarray(TypeKind.LONG)
                .dup()
                .iconst_0()
                .lload(POSITION)
                .lastore()
                .dup()
                .iconst_1()
                .iload(COUNT)
                .i2l()
                .lastore()
                .invokeinterface(TAKER, "apply", MethodTypeDesc.of(CD_Object, CD_Object, CD_Object))
                .dup()
                .ifnull(declined)
                .checkcast(CD_Long)
                .invokevirtual(CD_Long, "longValue", MethodTypeDesc.of(CD_long))
                .lreturn()
                .labelBinding(declined)
                .pop()
                .labelBinding(original);
    }
}
