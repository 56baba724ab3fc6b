package io.sdp4j.wire;

/**
 * Data with payload while the stream is established and nothing but buffered copy is under way in
 * either direction: most messages of most streams, in one straight method for each event.
 *
 * <p>Shape: a part of {@link SdpMachine}, under the same lock. Each method either does what the
 * general one does, and then nothing else is due; or it changes nothing and says so, and the shell
 * calls the general one. It may refuse for any reason, so it only accepts what takes few tests: the
 * first seconds of a JVM interpret this code.
 *
 * <p>Source: docs/protocol.md 2.13, 4 and 5.
 */
public final class BufferedCopy {
    private final Lifecycle life;
    private final Credits credits;
    private final Emitter emitter;
    private final Arrivals arrivals;
    private final SinkOffers offers;
    private final Sinks sinks;
    private final Parts parts;
    private final int receiveBytes;

    BufferedCopy(Parts parts) {
        life = parts.life;
        credits = parts.credits;
        emitter = parts.emitter;
        arrivals = parts.arrivals;
        offers = parts.send.offers;
        sinks = parts.receive.sinks;
        this.parts = parts;
        receiveBytes = parts.config.receiveBytes();
    }

    /**
     * Sends a message, as {@link SdpMachine#reserve} and {@link SdpMachine#send} do.
     *
     * @param payloadBytes 1..{@link SdpMachine#maxPayload()}
     * @param leastCredits fewer of them are a reason to refuse
     * @param header gets {@link Action#first} and {@link Action#second} of the message
     */
    public boolean send(int payloadBytes, int leastCredits, Action header) {
        Credits c = credits;
        Emitter e = emitter;
        int free = c.balance - c.reserved;
        if (!life.bcopyOnly
                || free < leastCredits
                || free < Credits.PAYLOAD_CREDITS
                || e.depth - e.inFlight - c.reserved <= Emitter.CONTROL_SENDS) {
            return false;
        }
        assert payloadBytes > 0 && payloadBytes <= parts.peerReceiveBytes - Bsdh.BYTES;
        header.first =
                (long) Mid.DATA << 56
                        | (c.posted & 0xFFFFL) << 32
                        | (Bsdh.BYTES + payloadBytes & 0xFFFF_FFFFL);
        c.balance--;
        c.known = c.posted;
        c.told = c.ack + c.posted;
        c.news = 0;
        header.second = (long) ++c.lastSent << 32 | (c.ack & 0xFFFF_FFFFL);
        offers.p++;
        e.inFlight += e.depth == Integer.MAX_VALUE ? 0 : 1;
        e.messagesSent++;
        e.bytesSent += payloadBytes;
        return true;
    }

    /**
     * Takes a message, as {@link SdpMachine#onReceived} does. The slot is delivered: it comes back
     * by {@link #consumed} or {@link SdpMachine#consumed}.
     *
     * @param first see {@link Bsdh#first}
     * @param second see {@link Bsdh#second}
     * @param byteLen byte count of the completion
     * @return its payload bytes, none of which is urgent; 0 = refused
     */
    public int receive(long first, long second, int byteLen) {
        Credits c = credits;
        Emitter e = emitter;
        int mseq = (int) (second >>> 32);
        int mseqAck = (int) second;
        int free = c.balance - c.reserved;
        if (!life.bcopyOnly
                || first >>> 48 != (long) Mid.DATA << 8 // any flag
                || (int) first != byteLen
                || byteLen <= Bsdh.BYTES
                || byteLen > receiveBytes
                || mseq != c.lastReceived + 1
                || c.known <= 0
                || Integer.compareUnsigned(mseqAck - c.lastAck, c.lastSent - c.lastAck) > 0
                // a writer that waits is woken
                || free < Credits.PAYLOAD_CREDITS
                || e.depth - e.inFlight - c.reserved <= Emitter.CONTROL_SENDS
                // an update may be due
                || c.holding
                || c.told - mseq <= SdpMachine.CONTROL_CREDITS
                || mseq + c.posted - 1 - c.told >= c.leastStep) {
            return 0;
        }
        c.posted--;
        c.known--;
        c.lastReceived = mseq;
        c.ack = mseq;
        c.lastAck = mseqAck;
        c.balance = Math.max(0, ((int) (first >>> 32) & 0xFFFF) - (c.lastSent - mseqAck));
        parts.messagesReceived++;
        int payloadBytes = byteLen - Bsdh.BYTES;
        arrivals.bytesReceived += payloadBytes;
        arrivals.delivered++;
        sinks.n++;
        return payloadBytes;
    }

    /**
     * The application has taken all of a delivered slot, as in {@link SdpMachine#consumed}; the
     * slot is to be posted again.
     */
    public boolean consumed() {
        Credits c = credits;
        if (!life.bcopyOnly
                // an update may be due
                || c.told - c.lastReceived <= SdpMachine.CONTROL_CREDITS
                || c.ack + c.posted + 1 - c.told >= c.leastStep) {
            return false;
        }
        arrivals.delivered--;
        c.posted++;
        c.news++;
        return true;
    }

    /** Whether the stream can neither have ended nor been cut. */
    public boolean steady() {
        return life.bcopyOnly;
    }
}
