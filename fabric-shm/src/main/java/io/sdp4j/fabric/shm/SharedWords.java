package io.sdp4j.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.VarHandle;

/**
 * Access to words of shared memory. Only loads and stores, never compare-and-set: on a file that a
 * peer truncates that would end the JVM where these throw {@code InternalError}.
 */
final class SharedWords {
    static final VarHandle LONG = JAVA_LONG.varHandle();
    static final VarHandle INT = JAVA_INT.varHandle();

    private SharedWords() {}
}
