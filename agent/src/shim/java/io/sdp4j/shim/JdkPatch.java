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
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Adds code at the start of methods of one class of the JDK's that is loaded already. That code
 * mentions types of the JDK only; our own are known by an interface that no channel of the JDK's
 * implements.
 */
abstract class JdkPatch implements ClassFileTransformer {
    /** The interface of every channel that may be in a selector. */
    static final ClassDesc SELECTABLE = ClassDesc.of("sun.nio.ch.SelChImpl");

    private final String className;
    private final int methods;
    private final String lost;

    /** Methods that were found and changed. */
    private int patched;

    /**
     * @param className of the class, with dots
     * @param methods how many of its methods are to be changed
     * @param lost without it, as a sentence for people
     */
    JdkPatch(String className, int methods, String lost) {
        this.className = className;
        this.methods = methods;
        this.lost = lost;
    }

    static ClassDesc desc(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    /** The code to add at the start of that method; null for none. */
    abstract Consumer<CodeBuilder> before(MethodModel method);

    /**
     * Patches their classes, all at once: the JVM stands still for some milliseconds each time. A
     * class that is not as expected stays as it is.
     *
     * @return what is lost for want of a patch, a sentence each
     */
    static List<String> apply(Instrumentation instrumentation, JdkPatch... patches) {
        boolean done = change(instrumentation, patches);
        List<String> lost = new ArrayList<>();
        for (JdkPatch patch : patches) {
            if (!done && patches.length > 1) {
                change(instrumentation, patch);
            }
            if (patch.patched != patch.methods && !ends(instrumentation)) {
                lost.add(patch.lost);
            }
        }
        return lost;
    }

    /** Whether their classes could be changed; else none has been. */
    private static boolean change(Instrumentation instrumentation, JdkPatch... patches) {
        try {
            Class<?>[] classes = new Class<?>[patches.length];
            for (int i = 0; i < patches.length; i++) {
                classes[i] = Class.forName(patches[i].className, false, null);
                instrumentation.addTransformer(patches[i], true);
            }
            instrumentation.retransformClasses(classes);
            return true;
        } catch (Exception | LinkageError e) {
            for (JdkPatch patch : patches) {
                patch.patched = 0;
            }
            return false;
        } finally {
            for (JdkPatch patch : patches) {
                instrumentation.removeTransformer(patch);
            }
        }
    }

    /** Whether the JVM ends, which then changes no class any more: that is no fault of this JDK. */
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
