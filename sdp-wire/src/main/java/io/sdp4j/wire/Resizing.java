package io.sdp4j.wire;

/**
 * The sizes of both sides' receive buffers, and the requests to change them.
 *
 * <p>Shape: as requester, the limit for what we send, a request under way, and which directions
 * were refused. As responder, the size of our buffers, the size granted, and how many buffers of
 * the old size are still in front of the receive queue: a larger size is acknowledged when they are
 * gone.
 *
 * <p>Source: docs/protocol.md 9.
 */
final class Resizing {
    private final int minBytes;
    private final int maxBytes;

    // requester
    private int peerBytes;
    private int bytesBefore; // while a decrease is under way
    private int wantedBytes; // 0 = no request
    private boolean sent;
    private int sentMseq;
    private boolean refusedUp;
    private boolean refusedDown;

    // responder
    private int ownBytes;
    private int grantedBytes; // 0 = no answer due
    private int oldBuffers;

    Resizing(WireConfig config) {
        ownBytes = config.receiveBytes();
        Features f = config.features();
        minBytes = f.minReceiveBytes() == 0 ? ownBytes : Math.min(f.minReceiveBytes(), ownBytes);
        maxBytes = Math.max(f.maxReceiveBytes(), ownBytes);
    }

    /** Takes the size in Hello or HelloAck. */
    void onPeerBytes(int receiveBytes) {
        peerBytes = receiveBytes;
    }

    int peerBytes() {
        return peerBytes;
    }

    /** Size of our buffers that the peer may fill: the old one until the answer is sent. */
    int ownBytes() {
        return ownBytes;
    }

    /** Whether a request or an answer may be due. */
    boolean busy() {
        return wantedBytes != 0 || grantedBytes != 0;
    }

    /** Wants another size at the peer. */
    boolean want(int receiveBytes) {
        boolean larger = receiveBytes > peerBytes;
        if (wantedBytes != 0
                || receiveBytes == peerBytes
                || receiveBytes < WireConfig.MIN_RECEIVE_BYTES
                || (larger ? refusedUp : refusedDown)) {
            return false;
        }
        wantedBytes = receiveBytes;
        sent = false;
        return true;
    }

    /**
     * Whether ChRcvBuf may leave: not while an answer is owed. MSeqAck may be held back (6.6), and
     * the peer would take our request for one that crossed its own.
     */
    boolean requestDue() {
        return wantedBytes != 0 && !sent && grantedBytes == 0;
    }

    int wantedBytes() {
        return wantedBytes;
    }

    /** ChRcvBuf leaves: a smaller size binds us at once. */
    void onRequestSent(int mseq) {
        sent = true;
        sentMseq = mseq;
        bytesBefore = peerBytes;
        peerBytes = Math.min(peerBytes, wantedBytes);
    }

    /** ChRcvBufAck, possibly without the BSDH in its size: never believed to be more. */
    AbortReason onAnswer(int actualBytes) {
        if (!sent) {
            return AbortReason.UNEXPECTED_ANSWER;
        }
        if (actualBytes < WireConfig.MIN_RECEIVE_BYTES) {
            return AbortReason.BAD_SIZE; // or beyond 2^31
        }
        if (wantedBytes > bytesBefore) {
            refusedUp |= actualBytes <= bytesBefore;
            peerBytes = actualBytes;
        } else {
            refusedDown |= actualBytes >= bytesBefore;
            peerBytes = Math.min(actualBytes, bytesBefore);
        }
        wantedBytes = 0;
        sent = false;
        return AbortReason.NONE;
    }

    /**
     * ChRcvBuf. When both ask at once, the accepting side's request stands.
     *
     * @param ack MSeqAck of the message
     * @param posted receive buffers posted now
     */
    void onRequest(int desiredBytes, boolean connecting, int ack, int posted, ActionList out) {
        boolean crossed = sent && ack - sentMseq < 0;
        if (crossed && !connecting) {
            return;
        }
        if (crossed) { // the peer disregards ours
            peerBytes = bytesBefore;
            wantedBytes = 0;
            sent = false;
        }
        if (grantedBytes != 0) {
            return; // a second question before the answer to the first: one answer
        }
        int bytes = desiredBytes < 0 ? maxBytes : Math.clamp(desiredBytes, minBytes, maxBytes);
        grantedBytes = bytes;
        oldBuffers = 0;
        if (bytes != ownBytes) {
            out.resize(bytes);
            oldBuffers = bytes > ownBytes ? posted : 0;
            ownBytes = Math.min(ownBytes, bytes);
        }
    }

    /** A receive buffer was used up. */
    void onArrival() {
        if (oldBuffers > 0) {
            oldBuffers--;
        }
    }

    boolean answerDue() {
        return grantedBytes != 0 && oldBuffers == 0;
    }

    int grantedBytes() {
        return grantedBytes;
    }

    void onAnswerSent() {
        ownBytes = grantedBytes;
        grantedBytes = 0;
    }
}
