package io.sdp4j.offload.contract.nio;

/** How much a test does. */
public final class Scale {
    private Scale() {}

    /** {@code deep} in the deep profile, else {@code verify}. */
    public static int of(int verify, int deep) {
        return "deep".equals(System.getProperty("sdp4j.test.profile")) ? deep : verify;
    }
}
