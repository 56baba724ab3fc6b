package io.sdp4j.fabric.shm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * Keys that a peer cannot guess. Drawn many at a time: that takes a lock of the whole process.
 * Thread-safe.
 */
final class RandomKeys {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private final byte[] drawn = new byte[256];
    private int at = drawn.length;

    /** Not 0. */
    synchronized int next() {
        for (; ; ) {
            if (at == drawn.length) {
                RANDOM.nextBytes(drawn);
                at = 0;
            }
            int key = (int) INT.get(drawn, at);
            at += Integer.BYTES;
            if (key != 0) {
                return key;
            }
        }
    }
}
