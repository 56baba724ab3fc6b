package io.sdp4j.linux;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.NativeCalls;
import java.lang.module.ModuleReader;
import jdk.internal.misc.Unsafe;

/**
 * Makes system calls without the JDK's linker, whose first handle costs a JVM that has just started
 * some 90 ms. The calls go through a class of ours in a JDK package (from {@code src/jdk}), which
 * is defined here.
 *
 * <p>Used only on the JDK and the processor for which that class was written, if the agent exports
 * {@code Unsafe} to this module, and after a test call has given the known answer. Thread-safe.
 */
final class DirectCalls {
    private static final int JDK = 25;
    private static final String NAME = "java.lang.invoke.NativeCalls";
    private static final int EBADF = 9;

    /** Null if such calls are not possible. */
    static final DirectCalls CALLS = make();

    private final Unsafe unsafe;
    private final NativeCalls calls;

    private DirectCalls(Unsafe unsafe, NativeCalls calls) {
        this.unsafe = unsafe;
        this.calls = calls;
    }

    private static DirectCalls make() {
        if (Runtime.version().feature() != JDK
                || !Linux.isX86()
                || !System.getProperty("java.vm.name", "").contains("Server VM")
                || !NativeAccess.unsafeExported()) {
            return null;
        }
        try {
            Unsafe unsafe = Unsafe.getUnsafe();
            NativeCalls calls = (NativeCalls) unsafe.allocateInstance(define(unsafe));
            DirectCalls made = new DirectCalls(unsafe, calls);
            return made.call(Linux.CLOSE, -1, 0, 0, 0, 0, 0) == -EBADF ? made : null;
        } catch (Exception | LinkageError | AssertionError | VirtualMachineError e) {
            return null; // other internals in this JDK, or no memory or stack for the caller
        }
    }

    /** Defines the class, unless another copy of this module has. */
    private static Class<?> define(Unsafe unsafe) throws IOException, ClassNotFoundException {
        byte[] file = classFile();
        try {
            return unsafe.defineClass(NAME, file, 0, file.length, null, null);
        } catch (LinkageError e) {
            return Class.forName(NAME, false, null);
        }
    }

    private static byte[] classFile() throws IOException {
        String path = "sdp4j-jdk/" + NAME.replace('.', '/') + ".class";
        Module own = DirectCalls.class.getModule();
        if (own.getLayer() == null) {
            // not Class.getResourceAsStream, which loads the classes of jar: URLs
            try (InputStream in = DirectCalls.class.getClassLoader().getResourceAsStream(path)) {
                return in.readAllBytes();
            }
        }
        // the loader of a layer would open the jar by its path, where another may lie by now
        try (ModuleReader reader =
                        own.getLayer()
                                .configuration()
                                .findModule(own.getName())
                                .orElseThrow()
                                .reference()
                                .open();
                InputStream in = reader.open(path).orElseThrow()) {
            return in.readAllBytes();
        }
    }

    /** See {@link Linux#call(int, long, long, long, long, long, long)}. */
    long call(int number, long a, long b, long c, long d, long e, long f) {
        long errno = unsafe.allocateMemory(Integer.BYTES);
        try {
            long r = calls.call(errno, number, a, b, c, d, e, f);
            return r == -1 ? -unsafe.getInt(errno) : r;
        } catch (Error t) {
            throw t;
        } catch (Throwable t) {
            throw new AssertionError(t);
        } finally {
            unsafe.freeMemory(errno);
        }
    }

    /** See {@link Linux#callQuietly}. */
    long callQuietly(int number, long a, long b, long c, long d, long e, long f) {
        try {
            return calls.call(number, a, b, c, d, e, f);
        } catch (Error t) {
            throw t;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** See {@link Linux#cpu}. */
    int cpu() {
        try {
            return calls.cpu();
        } catch (Error t) {
            throw t;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}
