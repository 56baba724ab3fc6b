package io.sdp4j.shim;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.channels.WritableByteChannel;
import java.util.function.Consumer;

/**
 * Makes {@code sun.nio.ch.FileChannelImpl} offer a file's bytes to a switched channel first
 * (behaviour 57). A channel whose bytes are counted has the kernel send them; an offloaded one
 * reads short pieces, where the JDK would map them.
 */
final class FilesPatch extends JdkPatch {
    private static final ClassDesc FILES = ClassDesc.of("java.nio.channels.FileChannel");
    private static final ClassDesc CHANNEL = ClassDesc.of("sun.nio.ch.ConnectionChannel");
    private static final MethodTypeDesc DIRECT =
            MethodTypeDesc.of(CD_long, CD_long, CD_int, desc(WritableByteChannel.class));
    private static final MethodTypeDesc SEND = MethodTypeDesc.of(CD_long, FILES, CD_long, CD_int);

    // locals of the method
    private static final int FILE = 0;
    private static final int POSITION = 1;
    private static final int COUNT = 3;
    private static final int TARGET = 4;

    FilesPatch() {
        super(
                "sun.nio.ch.FileChannelImpl",
                1,
                "FileChannel.transferTo is slower: this JDK's FileChannelImpl is not the known one;"
                        + " use JDK 25");
    }

    @Override
    Consumer<CodeBuilder> before(MethodModel method) {
        return method.methodName().equalsString("transferToDirect")
                        && method.methodTypeSymbol().equals(DIRECT)
                ? FilesPatch::offer
                : null;
    }

    /**
     * {@code if (target instanceof ConnectionChannel c) { long n = c.send(this, position, count);
     * if (n >= 0) return n; }}.
     */
    private static void offer(CodeBuilder code) {
        Label original = code.newLabel();
        Label declined = code.newLabel();
        code.aload(TARGET)
                .instanceOf(CHANNEL)
                .ifeq(original)
                .aload(TARGET)
                .checkcast(CHANNEL)
                .aload(FILE)
                .lload(POSITION)
                .iload(COUNT)
                .invokevirtual(CHANNEL, "send", SEND)
                .dup2()
                .lconst_0()
                .lcmp()
                .iflt(declined)
                .lreturn()
                .labelBinding(declined)
                .pop2()
                .labelBinding(original);
    }
}
