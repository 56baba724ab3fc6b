package io.sdp4j.agent.programs;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Has two event loops: one that is only loaded, and one that a thread runs until the log tells of a
 * native transport. Words: the log, the name of the one, the name of the other.
 */
public final class EventLoops {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(40);

    private EventLoops() {}

    public static void main(String[] args) throws Exception {
        Class<?> loaded = define(args[1]);
        Method run = define(args[2]).getMethod("run", Runnable.class);
        run.invoke(null, (Runnable) () -> awaitLine(Path.of(args[0])));
        System.out.println(loaded.getName());
    }

    /** A class of that name whose method {@code run} runs what it is given. */
    private static Class<?> define(String name) {
        byte[] bytes =
                ClassFile.of()
                        .build(
                                ClassDesc.of(name),
                                c ->
                                        c.withMethodBody(
                                                        "run",
                                                        MethodTypeDesc.of(
                                                                ConstantDescs.CD_void,
                                                                ClassDesc.of("java.lang.Runnable")),
                                                        ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                                                        code ->
                                                                code.aload(0)
                                                                        .invokeinterface(
                                                                                ClassDesc.of(
                                                                                        "java.lang.Runnable"),
                                                                                "run",
                                                                                MethodTypeDesc.of(
                                                                                        ConstantDescs
                                                                                                .CD_void))
                                                                        .return_())
                                                .withFlags(ClassFile.ACC_PUBLIC));
        return new ClassLoader(EventLoops.class.getClassLoader()) {
            Class<?> define() {
                return defineClass(name, bytes, 0, bytes.length);
            }
        }.define();
    }

    private static void awaitLine(Path log) {
        long end = System.nanoTime() + LIMIT_NANOS;
        try {
            while (System.nanoTime() - end < 0
                    && !(Files.exists(log) && Files.readString(log).contains("noNative"))) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
