package io.sdp4j.shim;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.constant.ClassDesc;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.util.function.Consumer;

/**
 * Adds code at the start of methods of one class of the JDK's that is loaded already. The code may
 * name only types of the class's own package and public types of the JDK.
 *
 * <p>The class is redefined, not retransformed: when another agent retransforms it later, the JVM
 * begins with the last definition. Transformers of other agents see the new definition, too.
 */
abstract class JdkPatch {
    private final String className;
    private final int methods;
    private final String lost;

    /** Methods that were found and changed. */
    private int patched;

    /**
     * @param className the name of the class, with dots
     * @param methods how many of its methods are to be changed
     * @param lost what does not work without the change, as a sentence for people
     */
    JdkPatch(String className, int methods, String lost) {
        this.className = className;
        this.methods = methods;
        this.lost = lost;
    }

    static ClassDesc desc(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    /** Returns the code to add at the start of that method; null for none. */
    abstract Consumer<CodeBuilder> before(MethodModel method);

    /**
     * Patches the class; a class that is not as expected stays unchanged.
     *
     * @return what does not work then, as a sentence; null if the patch succeeded or the JVM ends
     */
    String apply(Instrumentation instrumentation) {
        boolean done = false;
        try {
            Class<?> type = Class.forName(className, false, null);
            byte[] file = changed(type);
            if (patched == methods) {
                instrumentation.redefineClasses(new ClassDefinition(type, file));
                done = true;
            }
        } catch (Exception | LinkageError | InternalError e) {
            // this JDK's class is another one, or the JVM does not change it
        }
        return done || ends(instrumentation) ? null : lost;
    }

    /** Whether the JVM is ending. It changes no class then, which is not a fault of this JDK. */
    private static boolean ends(Instrumentation instrumentation) {
        return instrumentation.getAllLoadedClasses() == null;
    }

    private byte[] changed(Class<?> type) throws IOException {
        byte[] bytes;
        try (InputStream in =
                type.getModule().getResourceAsStream(className.replace('.', '/') + ".class")) {
            bytes = in.readAllBytes();
        }
        ClassFile file = ClassFile.of();
        return file.transformClass(
                file.parse(bytes),
                (builder, element) -> {
                    Consumer<CodeBuilder> added =
                            element instanceof MethodModel method ? before(method) : null;
                    if (added == null) {
                        builder.with(element);
                    } else {
                        patch(builder, (MethodModel) element, added);
                    }
                });
    }

    private void patch(ClassBuilder builder, MethodModel method, Consumer<CodeBuilder> added) {
        patched++;
        builder.transformMethod(method, MethodTransform.transformingCode(atStart(added)));
    }

    private static CodeTransform atStart(Consumer<CodeBuilder> added) {
        return new CodeTransform() {
            @Override
            public void atStart(CodeBuilder code) {
                added.accept(code);
            }

            @Override
            public void accept(CodeBuilder code, CodeElement element) {
                code.with(element);
            }
        };
    }
}
