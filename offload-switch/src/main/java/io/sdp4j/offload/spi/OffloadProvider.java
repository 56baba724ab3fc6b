package io.sdp4j.offload.spi;

/** A way to carry streams outside the kernel's TCP. Thread-safe. */
public interface OffloadProvider {
    /** Short name for reports, for example {@code sdp}. */
    String name();

    /**
     * Connects within the time of the request, or until it is abandoned. May be called on any
     * thread, virtual ones included; blocks it.
     *
     * @throws OffloadUnavailable for every failure before the stream is up
     */
    OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable;

    /**
     * Listens beside a kernel listener that is bound already. Returns at once.
     *
     * @throws OffloadUnavailable if it cannot
     */
    OffloadListener listen(ListenSpec spec) throws OffloadUnavailable;
}
