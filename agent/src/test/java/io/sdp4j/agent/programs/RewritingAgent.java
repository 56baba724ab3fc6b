package io.sdp4j.agent.programs;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.ProtectionDomain;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Another vendor's agent of the kind that watches applications: puts a call into every method of
 * the JDK's socket classes and of everything that calls itself sdp4j, and prints at exit how many
 * classes it has rewritten and how many it could not.
 */
public final class RewritingAgent {
    private static final ClassDesc THREAD = ClassDesc.of("java.lang.Thread");
    private static final AtomicInteger JDK = new AtomicInteger();
    private static final AtomicInteger OURS = new AtomicInteger();
    private static final AtomicInteger FAILED = new AtomicInteger();

    private RewritingAgent() {}

    public static void premain(String nothing, Instrumentation instrumentation)
            throws ReflectiveOperationException, UnmodifiableClassException {
        instrumentation.addTransformer(new Rewriter(), true);
        instrumentation.retransformClasses(
                Socket.class, ServerSocket.class, Class.forName("java.net.SocksSocketImpl"));
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () ->
                                        System.out.println(
                                                "rewritten jdk="
                                                        + (JDK.get() >= 3)
                                                        + " sdp4j="
                                                        + (OURS.get() >= 50)
                                                        + " failed="
                                                        + FAILED)));
    }

    private static final class Rewriter implements ClassFileTransformer {
        @Override
        public byte[] transform(
                Module module,
                ClassLoader loader,
                String name,
                Class<?> redefined,
                ProtectionDomain domain,
                byte[] bytes) {
            boolean ours = name.startsWith("io/sdp4j/") && !name.contains("/programs/");
            if (!ours
                    && !name.startsWith("java/net/S")
                    && !name.equals("sun/nio/ch/NioSocketImpl")) {
                return null;
            }
            try {
                byte[] rewritten = rewrite(loader, bytes);
                (ours ? OURS : JDK).incrementAndGet();
                return rewritten;
            } catch (Throwable t) { // told at exit; the JVM would swallow it
                t.printStackTrace();
                FAILED.incrementAndGet();
                return null;
            }
        }
    }

    private static byte[] rewrite(ClassLoader loader, byte[] bytes) {
        ClassLoader from = loader == null ? ClassLoader.getPlatformClassLoader() : loader;
        ClassFile tool =
                ClassFile.of(
                        ClassFile.ClassHierarchyResolverOption.of(
                                ClassHierarchyResolver.ofResourceParsing(from)
                                        .orElse(ClassHierarchyResolver.defaultResolver())));
        CodeTransform call =
                CodeTransform.ofStateful(
                        () ->
                                new CodeTransform() {
                                    @Override
                                    public void atStart(java.lang.classfile.CodeBuilder builder) {
                                        builder.invokestatic(
                                                THREAD,
                                                "onSpinWait",
                                                MethodTypeDesc.of(ConstantDescs.CD_void));
                                    }

                                    @Override
                                    public void accept(
                                            java.lang.classfile.CodeBuilder builder,
                                            java.lang.classfile.CodeElement element) {
                                        builder.with(element);
                                    }
                                });
        return tool.transformClass(
                tool.parse(bytes), ClassTransform.transformingMethodBodies(call));
    }
}
