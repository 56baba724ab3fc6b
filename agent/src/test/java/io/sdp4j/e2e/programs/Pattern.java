package io.sdp4j.e2e.programs;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SplittableRandom;

/** Bytes that both ends know. */
final class Pattern {
    private Pattern() {}

    static byte[] bytes(int length) {
        byte[] b = new byte[length];
        new SplittableRandom(length).nextBytes(b);
        return b;
    }

    static String digest(byte[] b) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(b));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
