package io.sdp4j.offload.jdk;

/** Throws through methods that declare nothing. */
public final class Unchecked {
    private Unchecked() {}

    /**
     * Throws {@code t}, declared or not, as it is.
     *
     * @return nothing; {@code throw} it to tell the compiler
     */
    public static RuntimeException thrown(Throwable t) {
        throw Unchecked.<RuntimeException>as(t);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> RuntimeException as(Throwable t) throws X {
        throw (X) t;
    }
}
