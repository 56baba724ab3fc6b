package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * One SDP connection: decides what to send and what to deliver, and does nothing itself.
 *
 * <p>Shape: a shell feeds it events and carries out the {@link Outbox} afterwards. The machine
 * reasons about receive slots and send slots as numbers and never sees a payload byte. It is not
 * thread-safe: the shell calls every method, queries included, under one lock. No method blocks,
 * throws for what a peer did, or allocates in the steady state.
 *
 * <p>Order of a life:
 *
 * {@snippet lang = text :
 *  connecting: post all receive slots; writeHello; onHelloAck == NONE; onEstablished
 *  accepting:  onHello == NONE; post all receive slots; writeHelloAck; onEstablished
 *  then:       reserve/send/unreserve, onReceived/consumed, completions, timers
 *  end:        shutdownOutput/shutdownInput/close/abort, onDisconnected/onQpError; closed()
 * }
 *
 * <p>What a reader of the stream does: delivered bytes first; then end of stream when {@link
 * #eof()}; then failure when {@link #reset()}; else wait. A writer fails when {@link #reset()} or
 * {@link #outputShut()}, and waits while not {@link #writable()}.
 *
 * <p>Source: sdp-wire.md, cited rule by rule.
 */
@SuppressWarnings("DoNotCallSuggester") // bodies follow
public final class SdpMachine {
    /** Timer: the peer must end its half within this time after our close. */
    public static final int TIMER_CLOSE = 0;

    /** Timer: the second closer leaves closing the connection below to the first for this time. */
    public static final int TIMER_GRACE = 1;

    /** Timer: the connection below must be closed by then. */
    public static final int TIMER_LLP = 2;

    /** Timer: AbortConn must be sent by then. */
    public static final int TIMER_ABORT = 3;

    /** Timers there are or will be: size of a shell's table. */
    public static final int TIMERS = 8;

    private SdpMachine() {}

    /**
     * The machine of the side that connects.
     *
     * @param config what this side brings
     */
    public static SdpMachine connecting(WireConfig config) {
        throw new UnsupportedOperationException();
    }

    /**
     * The machine of the side that accepts.
     *
     * @param config what this side brings
     */
    public static SdpMachine accepting(WireConfig config) {
        throw new UnsupportedOperationException();
    }

    /**
     * Connecting side: speak the InfiniBand form; before {@link #writeHello}. IPv4 addresses are
     * the low four bytes of their low half.
     */
    public void useIbForm(
            int ipVersion, int port, long srcHigh, long srcLow, long dstHigh, long dstLow) {
        throw new UnsupportedOperationException();
    }

    /**
     * Connecting side: writes Hello at {@code at}; all receive slots must be posted already.
     *
     * @return bytes written: 32, or 92 in the InfiniBand form
     */
    public int writeHello(MemorySegment to, long at) {
        throw new UnsupportedOperationException();
    }

    /**
     * Accepting side: a Hello came as private data; bytes behind its Len are padding.
     *
     * @param m a private copy
     * @return NONE when accepted; the state is unchanged otherwise
     */
    public HelloFault onHello(MemorySegment m, long at, int availableBytes) {
        throw new UnsupportedOperationException();
    }

    /**
     * Accepting side: writes HelloAck at {@code at} in the form of the Hello; all receive slots
     * must be posted already.
     *
     * @return bytes written: 28, or 196 in the InfiniBand form
     */
    public int writeHelloAck(MemorySegment to, long at) {
        throw new UnsupportedOperationException();
    }

    /**
     * Connecting side: a HelloAck came as private data.
     *
     * @param m a private copy
     * @return NONE when accepted; the state is unchanged otherwise
     */
    public HelloFault onHelloAck(MemorySegment m, long at, int availableBytes) {
        throw new UnsupportedOperationException();
    }

    /** The connection below is up: after HelloAck was accepted, or after it was written. */
    public void onEstablished(Outbox out) {
        throw new UnsupportedOperationException();
    }

    /** Most payload bytes of one Data message to the peer. */
    public int maxPayload() {
        throw new UnsupportedOperationException();
    }

    /** Size of the peer's receive buffers, BSDH included. */
    public int peerReceiveBytes() {
        throw new UnsupportedOperationException();
    }

    /** Whether {@link #reserve()} would succeed. */
    public boolean writable() {
        throw new UnsupportedOperationException();
    }

    /**
     * Takes one credit and one unit of send depth for a payload message that the shell is about to
     * fill outside its lock. To be followed soon by {@link #send} or {@link #unreserve}: meanwhile
     * control messages may have to wait.
     *
     * @return false when no payload may be sent now
     */
    public boolean reserve() {
        throw new UnsupportedOperationException();
    }

    /** Gives a reservation back. */
    public void unreserve(Outbox out) {
        throw new UnsupportedOperationException();
    }

    /**
     * Sends the payload in {@code slot}, using one reservation.
     *
     * @param slot send slot, its payload behind the first 16 bytes
     * @param payloadBytes 1..{@link #maxPayload()}
     * @param urgent whether the last byte is the out-of-band byte
     * @return false when the connection was cut since the reservation: nothing was emitted for the
     *     slot and the shell keeps it
     */
    public boolean send(int slot, int payloadBytes, boolean urgent, Outbox out) {
        throw new UnsupportedOperationException();
    }

    /** No more output: DisConn leaves after everything reserved. Idempotent. */
    public void shutdownOutput(Outbox out) {
        throw new UnsupportedOperationException();
    }

    /**
     * Sends of any kind have completed, {@code count} of them: frees send depth. Need not be called
     * when the send depth is {@link Integer#MAX_VALUE}.
     */
    public void onSendsCompleted(int count, Outbox out) {
        throw new UnsupportedOperationException();
    }

    /**
     * A SIGNALLED control message has completed, in addition to being counted in {@link
     * #onSendsCompleted}.
     *
     * @param tag {@link Outbox#tag} of the message
     */
    public void onControlSent(int tag, Outbox out) {
        throw new UnsupportedOperationException();
    }

    /**
     * A message landed in receive buffer {@code slot}. The slot comes back as DELIVER or REPOST, or
     * not at all when the connection is over.
     *
     * @param header a private copy of the first {@code min(byteLen, 36)} bytes, at {@code at}
     * @param headerBytes bytes in that copy
     * @param byteLen byte count of the completion
     */
    public void onReceived(
            int slot, MemorySegment header, long at, int headerBytes, int byteLen, Outbox out) {
        throw new UnsupportedOperationException();
    }

    /** The application has taken all of a delivered slot. */
    public void consumed(int slot, Outbox out) {
        throw new UnsupportedOperationException();
    }

    /**
     * No more input: payload is thrown away from now on, the peer is not told. Slots already
     * delivered are still to be given back with {@link #consumed}. Idempotent.
     */
    public void shutdownInput(Outbox out) {
        throw new UnsupportedOperationException();
    }

    /**
     * The application has closed. The machine decides the rest: an orderly end, or a cut when bytes
     * are unread, arrive later, or the linger time is zero. Idempotent.
     *
     * @param unread whether delivered bytes were not read
     * @param abortive whether the linger time is zero
     */
    public void close(boolean unread, boolean abortive, Outbox out) {
        throw new UnsupportedOperationException();
    }

    /** Cuts the stream. */
    public void abort(AbortReason reason, Outbox out) {
        throw new UnsupportedOperationException();
    }

    /**
     * The connection below is closed, by the peer or as asked by DISCONNECT. The shell feeds all
     * receive completions first: a close may overtake the last message.
     */
    public void onDisconnected(Outbox out) {
        throw new UnsupportedOperationException();
    }

    /** The queue pair failed: any completion error, or a device error. */
    public void onQpError(Outbox out) {
        throw new UnsupportedOperationException();
    }

    /** A timer armed by ARM_TIMER ran out; one that was cancelled meanwhile is ignored. */
    public void onTimer(int timer, Outbox out) {
        throw new UnsupportedOperationException();
    }

    /** Where the connection stands. */
    public State state() {
        throw new UnsupportedOperationException();
    }

    /** Whether the peer has ended its half in order: what was delivered is all there is. */
    public boolean eof() {
        throw new UnsupportedOperationException();
    }

    /** Whether the stream was cut. */
    public boolean reset() {
        throw new UnsupportedOperationException();
    }

    /** Why the stream was cut, NONE when it was not. */
    public AbortReason abortReason() {
        throw new UnsupportedOperationException();
    }

    /** Whether output was shut by {@link #shutdownOutput} or {@link #close}. */
    public boolean outputShut() {
        throw new UnsupportedOperationException();
    }

    /** Whether nothing is left to do: the shell may release the queue pair. */
    public boolean closed() {
        throw new UnsupportedOperationException();
    }

    /** Messages the peer can take now, reservations taken off; never negative. */
    public int credit() {
        throw new UnsupportedOperationException();
    }

    /** Receive buffers posted now. */
    public int posted() {
        throw new UnsupportedOperationException();
    }

    /** Messages emitted, of any kind. */
    public long messagesSent() {
        throw new UnsupportedOperationException();
    }

    /** Messages received, of any kind. */
    public long messagesReceived() {
        throw new UnsupportedOperationException();
    }

    /** Payload bytes emitted. */
    public long bytesSent() {
        throw new UnsupportedOperationException();
    }

    /** Payload bytes received. */
    public long bytesReceived() {
        throw new UnsupportedOperationException();
    }

    /** Empty Data messages emitted. */
    public long creditUpdatesSent() {
        throw new UnsupportedOperationException();
    }

    /** Empty Data messages received. */
    public long creditUpdatesReceived() {
        throw new UnsupportedOperationException();
    }
}
