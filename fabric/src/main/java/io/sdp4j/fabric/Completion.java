package io.sdp4j.fabric;

/**
 * One entry of a completion queue, filled in place by {@link CompletionQueue#poll} so that polling
 * allocates nothing. Not thread-safe: it belongs to the thread that polls.
 *
 * <p>Shape by {@link #opcode}:
 *
 * <ul>
 *   <li>{@link #RECEIVE}: a message of {@link #byteLen} bytes lies in receive slot {@link #slot}.
 *   <li>{@link #SEND}: {@link #count} sends, oldest first, have left; reported only where {@link
 *       Capabilities#sendsCompleteAtPost()} is false, or for a send posted with {@link
 *       QueuePair#SIGNALLED} (then {@link #slot} names it and {@link #signalled} is true).
 *   <li>{@link #READ}, {@link #WRITE}: the RDMA operation with {@link #wrId} ended.
 *   <li>{@link #DISCONNECTED}: the peer closed the queue pair (DREQ) and every earlier receive has
 *       been polled. {@link #status} is {@code RETRY_EXC_ERR} if the peer died instead, and {@code
 *       RESP_TIMEOUT_ERR} if the peer stopped answering for an unknown reason. In these two cases
 *       {@link #count} is the number of our sends that the peer's application had not read; where
 *       the fabric cannot know that number, it is more than 0. If {@link #byteLen} is not 0,
 *       receive slot {@link #slot} holds that many bytes that the peer had not sent yet ({@link
 *       QueuePair#unsent}).
 *   <li>{@link #ERROR}: the queue pair went to error; {@link #status} says why. Reported once,
 *       after which only flushed requests follow.
 * </ul>
 */
public final class Completion {
    public static final int RECEIVE = 1;
    public static final int SEND = 2;
    public static final int READ = 3;
    public static final int WRITE = 4;
    public static final int DISCONNECTED = 5;
    public static final int ERROR = 6;

    public int opcode;
    public WcStatus status = WcStatus.SUCCESS;
    public int slot;
    public int byteLen;
    public int count;
    public boolean signalled;
    public long wrId;

    /** The first eight bytes of a message, big-endian; set by {@link QueuePair#readHeader}. */
    public long first;

    /** The eight bytes behind them. */
    public long second;

    /** An entry to be filled by {@link CompletionQueue#poll}. */
    public Completion() {}
}
