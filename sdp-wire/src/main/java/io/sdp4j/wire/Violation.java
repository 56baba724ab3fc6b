package io.sdp4j.wire;

/**
 * A message with which the peer broke the protocol: facts for an operator to find out why.
 *
 * <p>Source: docs/protocol.md 13.2.
 *
 * @param reason the rule
 * @param mid its message identifier; -1 when it was too short to have one
 * @param bytes byte count of the message
 * @param len byte count that its header claims, unsigned; 0 when it was too short
 * @param mseq its sequence number; 0 when it was too short
 * @param state where the connection stood
 */
public record Violation(AbortReason reason, int mid, int bytes, int len, int mseq, State state) {
    static Violation of(AbortReason reason, long first, long second, int bytes, State state) {
        if (bytes < Bsdh.BYTES) {
            int mid = bytes == 0 ? -1 : Bsdh.mid(first);
            return new Violation(reason, mid, bytes, 0, 0, state);
        }
        return new Violation(
                reason, Bsdh.mid(first), bytes, Bsdh.len(first), Bsdh.mseq(second), state);
    }

    /** For a log. */
    @Override
    public String toString() {
        String name = mid < 0 ? "no MID" : "MID " + Mid.name(mid);
        String numbers =
                bytes < Bsdh.BYTES
                        ? ""
                        : ", Len "
                                + Integer.toUnsignedString(len)
                                + ", MSeq "
                                + Integer.toUnsignedString(mseq);
        return reason + ": " + name + ", " + bytes + " bytes" + numbers + ", state " + state;
    }
}
