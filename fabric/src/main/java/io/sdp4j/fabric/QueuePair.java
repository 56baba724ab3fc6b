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
    /** Flag of {@link #postSend}: the completion of this send must be reported. */
    int SIGNALLED = 1;

    /**
     * Flag of {@link #postSend}: not needed by a peer that only receives; only a hint, see {@link
     * CompletionQueue#armDescriptor}.
     */
    int QUIET = 4;

    /**
     * Flag of {@link #postSend}: another message follows soon, so the peer's thread need not be
     * woken for this one. Only a hint; if no message follows, this one may be delayed. See {@link
     * #peerSleepsThroughMore}.
     */
    int MORE = 8;

    /**
     * Flag of {@link #postSend}: the message holds nothing that the peer's application reads. A
     * peer that ends before it has taken the message has lost nothing.
     */
    int CONTROL = 16;

    /** The byte order of numbers in the protocol. */
    ValueLayout.OfLong NETWORK_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** The peer as the kernel names it, for people; null = its address is its name. */
    default String peer() {
        return null;
    }

    /**
     * Memory that holds the send slots. The peer may be able to write to it, so never read back
     * what was put there.
     */
    MemorySegment sendMemory();

    /** Where send slot {@code slot} starts in {@link #sendMemory()}; 8-aligned. */
    long sendOffset(int slot);

    /**
     * Bytes that a send slot holds: at least as many as the peer's receive slot, if the fabric
     * allows that much.
     */
    int sendBytes();

    /**
     * Bytes of a send slot whose memory is always there. Before it sends more, the caller asks
     * {@link #bookLong}.
     */
    default int usualBytes() {
        return sendBytes();
    }

    /**
     * Books the memory for messages longer than {@link #usualBytes}, until {@link #trim} or {@link
     * #close}.
     *
     * @return false if this process has no more memory to give now; only {@link #usualBytes} may be
     *     sent then
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
     * Reads the first sixteen bytes of a received message into {@link Completion#first} and {@link
     * Completion#second}. They are read once, so the result is a private copy.
     *
     * @param message its completion
     */
    default void readHeader(Completion message) {
        long at = receiveOffset(message.slot);
        message.first = receiveMemory().get(NETWORK_LONG, at);
        message.second = receiveMemory().get(NETWORK_LONG, at + Long.BYTES);
    }

    /** Sets the first sixteen bytes of a taken send slot to two big-endian numbers. */
    default void putHeader(int slot, long first, long second) {
        long at = sendOffset(slot);
        sendMemory().set(NETWORK_LONG, at, first);
        sendMemory().set(NETWORK_LONG, at + Long.BYTES, second);
    }

    /**
     * Copies bytes into {@link #sendMemory()}.
     *
     * @param to offset in that memory, within a taken slot
     */
    default void copyIn(byte[] from, int offset, long to, int lenBytes) {
        MemorySegment.copy(from, offset, sendMemory(), ValueLayout.JAVA_BYTE, to, lenBytes);
    }

    /**
     * Copies bytes out of {@link #receiveMemory()}.
     *
     * @param from offset in that memory, within a received slot
     */
    default void copyOut(long from, byte[] to, int offset, int lenBytes) {
        MemorySegment.copy(receiveMemory(), ValueLayout.JAVA_BYTE, from, to, offset, lenBytes);
    }

    /**
     * Copies payload into a taken send slot, bypassing the processor's cache where that helps this
     * fabric's memory; otherwise an ordinary copy. For long streams: the peer sees the payload a
     * little later, but the throughput is higher.
     *
     * @param at where in the slot the payload starts
     * @param fromIndex between the buffer's position and its limit
     */
    default void writePast(int slot, int at, ByteBuffer from, int fromIndex, int lenBytes) {
        MemorySegment bytes = MemorySegment.ofBuffer(from);
        long fromOffset = (long) fromIndex - from.position();
        MemorySegment.copy(bytes, fromOffset, sendMemory(), sendOffset(slot) + at, lenBytes);
    }

    /** As {@link #writePast(int, int, ByteBuffer, int, int)}, from an array. */
    default void writePast(int slot, int at, byte[] from, int fromOffset, int lenBytes) {
        copyIn(from, fromOffset, sendOffset(slot) + at, lenBytes);
    }

    /** Whether {@link #writePast} may bypass the cache here. */
    default boolean writesPast() {
        return false;
    }

    /**
     * Whether the peer's thread may sleep through messages with {@link #MORE}. If so, a sender of
     * such messages must wake the peer before it waits for the peer.
     */
    default boolean peerSleepsThroughMore() {
        return false;
    }

    /** Whether the peer runs sdp4j, too. */
    default boolean peerIsOurs() {
        return true;
    }

    /**
     * Says that a taken slot holds bytes that are not sent yet. If this process ends before it
     * posts the slot, the peer still receives them if the fabric can reach them: see {@link
     * Completion#DISCONNECTED}. Caller's lock.
     *
     * @param byteLen number of bytes, counted from the beginning of the slot
     */
    default void unsent(int slot, int byteLen) {}

    /**
     * Says that the application has read all of a receive slot that is not posted again yet. Called
     * by the reading thread only, without the lock, but before another thread can post the slot.
     */
    default void readToEnd(int slot) {}

    /** Takes a free send slot, or returns -1. Caller's lock. */
    int takeSendSlot();

    /**
     * As {@link #takeSendSlot}, but returns -1 also if something has completed, which the caller
     * may have to look at before it sends. Caller's lock.
     */
    default int takeSlotNow() {
        return completions().known() ? -1 : takeSendSlot();
    }

    /** Gives back a slot that was taken and not posted. Caller's lock. */
    void returnSendSlot(int slot);

    /**
     * Sends the first {@code byteLen} bytes of a taken slot. Errors come as completions. Caller's
     * lock.
     */
    void postSend(int slot, int byteLen, int flags);

    /** Does {@link #putHeader} and {@link #postSend} without flags. Caller's lock. */
    default void send(int slot, long first, long second, int byteLen) {
        putHeader(slot, first, second);
        postSend(slot, byteLen, 0);
    }

    /**
     * Posts receive slot {@code slot}, which a completion gave to the caller. The fabric may delay
     * this to post several slots together, at most until the next {@link #postSend} or {@link
     * #send}, which may tell the peer of the slot, or until a thread waits for {@link
     * #completions}. Caller's lock.
     */
    void postReceive(int slot);

    /**
     * Gives back the memory that a quiet connection does not need, unless something is under way
     * there. Sending takes it again by itself. Caller's lock.
     *
     * @param onUse runs once after everything was given back, under the caller's lock, when a send
     *     slot is taken again and there may be something to give back; never runs on a fabric that
     *     never gives anything back
     * @return false if something was under way: ask again later
     */
    default boolean trim(Runnable onUse) {
        return true;
    }

    /** The completion queue of this queue pair, which it shares with no other. */
    CompletionQueue completions();

    /**
     * Number of native calls that any thread has made so far to post, poll and wait here; 0 if they
     * are not counted. For measurements.
     */
    default long nativeCalls() {
        return 0;
    }

    /**
     * Registers native memory for RDMA in this queue pair's PD. A region that the peer may only
     * read must not be the target of RDMA reads by this side.
     *
     * @param remoteRead whether the peer may read it
     * @param remoteWrite whether the peer may write it
     * @throws FabricException if limits forbid it or the fabric has no RDMA operations
     */
    MemoryRegion register(MemorySegment memory, boolean remoteRead, boolean remoteWrite)
            throws FabricException;

    /**
     * Ends the registrations that were kept after their regions were closed (see {@link
     * MemoryRegion#close}), and keeps none from now on. Everything that ends the connection does
     * this first. Caller's lock.
     */
    default void forgetKeys() {}

    /**
     * Reads {@code lenBytes} at {@code remoteAddress} of the peer's region {@code rkey} into a
     * local region. Returns false if too many reads are running: try again after a completion.
     * Caller's lock.
     */
    boolean postRead(
            long wrId,
            MemoryRegion local,
            long localOffset,
            int lenBytes,
            long remoteAddress,
            int rkey);

    /**
     * Writes to the peer's region. A later send is delivered after the bytes are visible. Otherwise
     * as {@link #postRead}. Caller's lock.
     */
    boolean postWrite(
            long wrId,
            MemoryRegion local,
            long localOffset,
            int lenBytes,
            long remoteAddress,
            int rkey);

    /**
     * Asks whether the peer's side is there, by an RDMA operation of no bytes, which its program
     * does not take part in. The operation completes with {@code wrId} when that side has
     * everything that was posted before. Caller's lock.
     *
     * @return false if nothing was posted, because the fabric notices the end of a peer by itself
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
     * Releases everything. Disconnects first if that has not been done. Called once, when no other
     * call runs.
     */
    void close();
}
