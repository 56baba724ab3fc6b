package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.NativeAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/**
 * Finds the functions of a library, and calls those that report through {@code errno}.
 *
 * <p>Pointers are passed as addresses: the caller keeps their memory alive during the call. Symbols
 * are looked up without a version, which gives the default version; old versions with other structs
 * are never found. No call here is {@code critical}, because each may enter the kernel.
 */
final class Bindings {
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO =
            STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    /**
     * Calls made through {@link #status}, {@link #errno}, {@link #negated} and {@link #pointer}.
     * None of them is for the data path.
     */
    private static final LongAdder CALLS = new LongAdder();

    private final String soname;
    private final SymbolLookup library;

    /**
     * @param soname name of the library that is installed without its development package
     * @param cure what the user can do if the library is missing
     */
    @SuppressWarnings("restricted")
    Bindings(String soname, String cure) throws FabricException {
        this.soname = soname;
        Module own = Bindings.class.getModule();
        if (!NativeAccess.granted(own)) {
            throw new FabricException(
                    Cause.UNAVAILABLE, "RDMA needs native calls: " + NativeAccess.explanation(own));
        }
        try {
            library = SymbolLookup.libraryLookup(soname, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new FabricException(Cause.UNAVAILABLE, soname + " cannot be loaded; " + cure, e);
        }
    }

    /** Functions that stand in for a library's, in tests. */
    Bindings(SymbolLookup library) {
        soname = "a library";
        this.library = library;
    }

    /**
     * A function that reports through {@code errno}: for {@link #status} and its sisters.
     *
     * @param words its arguments, each of which travels as a word whatever its type, as the result
     *     does: neither ABI minds what is above a narrower one
     */
    @SuppressWarnings("restricted")
    MethodHandle bind(String name, int words) throws FabricException {
        MemoryLayout[] arguments = new MemoryLayout[words];
        Arrays.fill(arguments, JAVA_LONG);
        return Linker.nativeLinker()
                .downcallHandle(
                        find(name),
                        FunctionDescriptor.of(JAVA_LONG, arguments),
                        Linker.Option.captureCallState("errno"))
                .asSpreader(1, long[].class, words);
    }

    /** Binds a function of the data path, which is called without capturing {@code errno}. */
    @SuppressWarnings("restricted")
    MethodHandle bindPlain(String name, FunctionDescriptor descriptor) throws FabricException {
        return Linker.nativeLinker().downcallHandle(find(name), descriptor);
    }

    private MemorySegment find(String name) throws FabricException {
        return library.find(name)
                .orElseThrow(
                        () ->
                                new FabricException(
                                        Cause.UNAVAILABLE,
                                        soname
                                                + " has no "
                                                + name
                                                + ": its ABI is not known; rdma-core 18 or newer"
                                                + " is needed"));
    }

    /**
     * Calls a function that returns 0, or -1 and {@code errno}, or nothing. Returns 0 or {@code
     * -errno}.
     */
    static int status(MethodHandle function, long... words) {
        Answer a = call(function, words);
        return (int) a.value == -1 ? -a.errno : 0;
    }

    /**
     * Returns {@code errno} after a call. It is valid only if the result of the function says so.
     */
    static int errno(MethodHandle function, long... words) {
        return call(function, words).errno;
    }

    /** Calls a function that returns 0 or a positive {@code errno}. Returns 0 or {@code -errno}. */
    static int negated(MethodHandle function, long... words) {
        Answer a = call(function, words);
        // a few functions return -1 and set errno nevertheless
        return (int) a.value == -1 ? -a.errno : -(int) a.value;
    }

    /**
     * Calls a function that returns a pointer, or NULL and {@code errno}. Returns the pointer or
     * {@code -errno}.
     */
    static long pointer(MethodHandle function, long... words) {
        Answer a = call(function, words);
        // an errno of 0 would look like success
        return a.value != 0 ? a.value : -Math.max(1, a.errno);
    }

    private record Answer(long value, int errno) {}

    private static Answer call(MethodHandle function, long[] words) {
        CALLS.increment();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long value;
            try {
                value = (long) function.invokeExact(state, words);
            } catch (Error e) { // a full stack
                throw e;
            } catch (Throwable t) {
                throw new AssertionError(t);
            }
            return new Answer(value, state.get(JAVA_INT, ERRNO));
        }
    }

    /** Returns the number of calls of the whole process so far. */
    static long calls() {
        return CALLS.sum();
    }

    /** Returns the library's memory at {@code address}, as large as {@code layout}. */
    @SuppressWarnings("restricted")
    static MemorySegment at(long address, MemoryLayout layout) {
        return MemorySegment.ofAddress(address).reinterpret(layout.byteSize());
    }
}
