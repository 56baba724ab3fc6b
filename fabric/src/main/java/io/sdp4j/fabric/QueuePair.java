package io.sdp4j.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A connected RC queue pair with buffers of its own.
 *
 * <p>Buffers are <em>slots</em>: an index the protocol reasons about, and a place in {@link
 * #sendMemory()} or {@link #receiveMemory()} that the caller fills or reads. Sends are reliable, in
 * order, and never longer than the peer's receive slots; a send consumes one receive posted at the
 * peer. The fabric has no flow control for sends: the caller sends only when it knows of a posted
 * receive (credits), and a send that finds none is an error of the queue pair.
 *
 * <p>Thread-safety: posting and polling are serialised by the caller's lock for this queue pair.
 * Payload is copied into a taken send slot, and out of a received one, without that lock. {@link
 * #close} is called once, when no other call runs or will come.
 */
public interface QueuePair {
    /** Flag of {@link #postSend}: its completion must be reported. */
    int SIGNALLED = 1;

    /** Flag of {@link #postSend}: solicited event, only a hint. */
    int SOLICITED = 2;

    /**
     * Flag of {@link #postSend}: not needed by a peer that only receives; only a hint, see {@link
     * CompletionQueue#armDescriptor}.
     */
    int QUIET = 4;

    /**
     * Flag of {@link #postSend}: another message follows soon, so the peer's thread need not be
     * woken for this one; only a hint, and a promise that may be broken at the cost of a delay. See
     * {@link #peerSleepsThroughMore}.
     */
    int MORE = 8;

    /**
     * Flag of {@link #postSend}: nothing that the peer's application reads. A peer that ends before
     * it has taken it has lost nothing.
     */
    int CONTROL = 16;

    /** As the protocol spells numbers. */
    ValueLayout.OfLong NETWORK_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** The peer as the kernel names it, for people; null = its address is its name. */
    default String peer() {
        return null;
    }

    /**
     * Memory that holds the send slots. The peer may be able to write it: never read back what was
     * put there.
     */
    MemorySegment sendMemory();

    /** Where send slot {@code slot} starts in {@link #sendMemory()}; 8-aligned. */
    long sendOffset(int slot);

    /**
     * Bytes that a send slot holds: at least the peer's receive slot, if the fabric allows that
     * much.
     */
    int sendBytes();

    /**
     * Bytes of a send slot whose memory is there in any case. A sender of more than these has asked
     * {@link #bookLong} before.
     */
    default int usualBytes() {
        return sendBytes();
    }

    /**
     * Books the memory of longer messages, until {@link #trim} or {@link #close}.
     *
     * @return false: this process has no more to give now, and only {@link #usualBytes} may be sent
     */
    default boolean bookLong() {
        return true;
    }

    /**
     * Memory that holds the receive slots. The peer may write it at any time: copy first, then
     * check the copy.
     */
    MemorySegment receiveMemory();

    /** Where receive slot {@code slot} starts in {@link #receiveMemory()}; 8-aligned. */
    long receiveOffset(int slot);

    /**
     * Eight bytes of a received slot as a big-endian number: read once, so it is a private copy.
     *
     * @param at where in the slot; a multiple of 8
     */
    default long receivedLong(int slot, int at) {
        return receiveMemory().get(NETWORK_LONG, receiveOffset(slot) + at);
    }

    /**
     * Sets eight bytes of a taken send slot to a big-endian number.
     *
     * @param at where in the slot; a multiple of 8
     */
    default void putLong(int slot, int at, long value) {
        sendMemory().set(NETWORK_LONG, sendOffset(slot) + at, value);
    }

    /**
     * Copies bytes into {@link #sendMemory()}.
     *
     * @param to where in that memory: in a taken slot
     */
    default void copyIn(byte[] from, int offset, long to, int lenBytes) {
        MemorySegment.copy(from, offset, sendMemory(), ValueLayout.JAVA_BYTE, to, lenBytes);
    }

    /**
     * Copies bytes out of {@link #receiveMemory()}.
     *
     * @param from where in that memory: in a received slot
     */
    default void copyOut(long from, byte[] to, int offset, int lenBytes) {
        MemorySegment.copy(receiveMemory(), ValueLayout.JAVA_BYTE, from, to, offset, lenBytes);
    }

    /**
     * Copies payload into a taken send slot, past the processor's cache where this fabric's memory
     * gains by that: for long streams, because the peer sees it a little later but more of it per
     * second. Otherwise an ordinary copy.
     *
     * @param at where in the slot the payload starts
     * @param fromIndex between the buffer's position and its limit
     */
    default void writePast(int slot, int at, ByteBuffer from, int fromIndex, int lenBytes) {
        MemorySegment bytes = MemorySegment.ofBuffer(from);
        long fromOffset = (long) fromIndex - from.position();
        MemorySegment.copy(bytes, fromOffset, sendMemory(), sendOffset(slot) + at, lenBytes);
    }

    /** As the other one, from an array. */
    default void writePast(int slot, int at, byte[] from, int fromOffset, int lenBytes) {
        copyIn(from, fromOffset, sendOffset(slot) + at, lenBytes);
    }

    /** Whether {@link #writePast} may be another copy than the ordinary one here. */
    default boolean writesPast() {
        return false;
    }

    /**
     * Whether the peer's thread may sleep through messages with {@link #MORE}, so that a sender of
     * such messages must wake it before it waits for it.
     */
    default boolean peerSleepsThroughMore() {
        return false;
    }

    /** Whether the peer is this software, too. */
    default boolean peerIsOurs() {
        return true;
    }

    /**
     * A taken slot holds bytes that are not sent yet. If this process ends before the slot is
     * posted, the peer receives them all the same, where the fabric can reach them: see {@link
     * Completion#DISCONNECTED}. Caller's lock.
     *
     * @param byteLen from the beginning of the slot on
     */
    default void unsent(int slot, int byteLen) {}

    /**
     * The application has read all of a receive slot that is not posted again yet. Only the thread
     * that reads, without the lock, but before another one can post the slot.
     */
    default void readToEnd(int slot) {}

    /** Takes a free send slot, or returns -1. Caller's lock. */
    int takeSendSlot();

    /** Gives back a slot that was taken and not posted. Caller's lock. */
    void returnSendSlot(int slot);

    /**
     * Sends the first {@code byteLen} bytes of a taken slot. Errors come as completions. Caller's
     * lock.
     */
    void postSend(int slot, int byteLen, int flags);

    /**
     * Posts receive slot {@code slot}, which a completion had given to the caller. It is posted
     * before the next {@link #postSend}, which may tell the peer of it, and before a thread waits
     * for {@link #completions}, whichever comes first, so that several can be posted together.
     * Caller's lock.
     */
    void postReceive(int slot);

    /**
     * Gives back what a quiet connection does not need, as far as nothing is under way; sending
     * takes it again by itself. Caller's lock.
     *
     * @param onUse if all was given back: runs once, with the caller's lock, when a send slot is
     *     taken again and there may be something to give back; never where nothing ever is
     * @return false if something was under way: ask again later
     */
    default boolean trim(Runnable onUse) {
        return true;
    }

    /** The queue of everything that completes here; one for each queue pair. */
    CompletionQueue completions();

    /**
     * Native calls made so far to post, poll and wait here, by any thread; 0 where they are not
     * counted. For measurements.
     */
    default long nativeCalls() {
        return 0;
    }

    /**
     * Registers native memory for RDMA in this queue pair's protection domain. A region that the
     * peer may only read is not to be the target of reads of this side.
     *
     * @param remoteRead whether the peer may read it
     * @param remoteWrite whether the peer may write it
     * @throws FabricException if limits forbid it or the fabric has no RDMA operations
     */
    MemoryRegion register(MemorySegment memory, boolean remoteRead, boolean remoteWrite)
            throws FabricException;

    /**
     * Ends what is kept of closed regions that the peer could read, and keeps nothing from now on.
     * So does whatever ends the connection, at its beginning. Caller's lock.
     */
    default void forgetKeys() {}

    /**
     * Reads {@code lenBytes} at {@code remoteAddress} of the peer's region {@code rkey} into a
     * local region. False if too many are running: try again after a completion. Caller's lock.
     */
    boolean postRead(
            long wrId,
            MemoryRegion local,
            long localOffset,
            int lenBytes,
            long remoteAddress,
            int rkey);

    /**
     * Writes; a later send is delivered after the bytes are visible. As {@link #postRead}
     * otherwise. Caller's lock.
     */
    boolean postWrite(
            long wrId,
            MemoryRegion local,
            long localOffset,
            int lenBytes,
            long remoteAddress,
            int rkey);

    /**
     * Asks the peer's side, without its program, whether it is there: an RDMA operation of nothing.
     * It ends with this number, when that side has all that was posted before. Caller's lock.
     *
     * @return false if nothing was posted: the fabric sees the end of a peer by itself
     */
    default boolean postProbe(long wrId) {
        return false;
    }

    /**
     * Closes the connection in order (DREQ): messages posted before still arrive. The peer sees
     * {@link Completion#DISCONNECTED} after it. Idempotent. Caller's lock.
     */
    void disconnect();

    /**
     * Cuts the connection: the peer sees {@link Completion#DISCONNECTED} after what it has received
     * so far. Idempotent. Caller's lock.
     */
    void abort();

    /**
     * Releases everything. Disconnects first if that has not been done. Called once, when nothing
     * else runs.
     */
    void close();
}
