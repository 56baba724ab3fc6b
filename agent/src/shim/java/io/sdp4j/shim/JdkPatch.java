package io.sdp4j.shim;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.constant.ClassDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.function.Consumer;

/**
 * Adds code at the start of methods of one class of the JDK's that is loaded already. The code may
 * name only types of the class's own package and public types of the JDK.
 */
abstract class JdkPatch implements ClassFileTransformer {
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
        try {
            instrumentation.addTransformer(this, true);
            instrumentation.retransformClasses(Class.forName(className, false, null));
        } catch (Exception | LinkageError e) {
            patched = 0;
        } finally {
            instrumentation.removeTransformer(this);
        }
        return patched == methods || ends(instrumentation) ? null : lost;
    }

    /** Whether the JVM is ending. It changes no class then, which is not a fault of this JDK. */
    private static boolean ends(Instrumentation instrumentation) {
        return instrumentation.getAllLoadedClasses() == null;
    }

    @Override
    public final byte[] transform(
            ClassLoader loader,
            String name,
            Class<?> redefined,
            ProtectionDomain domain,
            byte[] bytes) {
        if (!className.replace('.', '/').equals(name)) {
            return null;
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
