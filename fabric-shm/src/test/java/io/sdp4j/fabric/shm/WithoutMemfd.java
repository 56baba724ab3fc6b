package io.sdp4j.fabric.shm;

/** A {@link Peer} to which the kernel refuses memfd_create, as some sandboxes let it. */
public final class WithoutMemfd {
    private static final int EPERM = 1;

    private WithoutMemfd() {}

    public static void main(String[] args) throws Exception {
        Seccomp.refuse(Seccomp.ARM ? 279 : 319, Seccomp.ANY, EPERM);
        Peer.main(args);
    }
}
