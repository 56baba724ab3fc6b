package sun.nio.ch;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The kernel's TCP with a count of bytes, for a connection that may move once the switch has
 * started; see {@link EarlyConnection}.
 *
 * <p>Shape: the thread that reads or writes holds the lock of its direction and adds to the count.
 * The carrier that comes after this one takes over the locks and counts. A call that finds such a
 * carrier goes to it.
 */
public final class CountedKernel implements Carrier {
    // Less than what the switch asks of a connection that moves, so that it has started by then.
    private static final long ENOUGH_BYTES = 2 << 20;
    private static final int ENOUGH_TURNS = 500;
    private static final int ENOUGH_ALL_TURNS = 30_000;
    private static final long ENOUGH_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    // The same for a channel in a selector.
    private static final long SELECTOR_BYTES = 512 << 20;
    private static final long SELECTOR_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * Longest average time from one answer to the next, without the pauses; the switch judges the
     * last answers.
     */
    private static final long QUICK_NANOS = 250_000;

    /** Bytes that a call must carry on average to count as bulk. */
    private static final int BULK_CALL_BYTES = 8 << 10;

    /** Calls between two looks at a channel in a selector. */
    private static final int LOOK_CALLS = 256;

    /** A longer time from one look to the next counts as this: a pause says nothing of the rest. */
    private static final long SLOW_LOOK_NANOS = LOOK_CALLS * QUICK_NANOS;

    /** How long a channel must have been in use, without the pauses, before it is given up. */
    private static final long JUDGED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Answers that a connection adds to {@link #ALL_TURNS} in one step. */
    private static final int TELL_TURNS = 100;

    private static final AtomicLong ALL_TURNS = new AtomicLong();

    /** The result of a call that has to go to another carrier. */
    private static final int GONE = -2;

    private final ConnectionChannel channel;
    private final EarlyConnection early;
    private final Carrier kernel;
    public final ReentrantLock readLock = new ReentrantLock();
    public final ReentrantLock writeLock = new ReentrantLock();
    public final AtomicLong sent = new AtomicLong(); // set under writeLock
    public final AtomicLong received = new AtomicLong(); // set under readLock
    public long turns; // answers; set under readLock; others may see an older one
    public volatile long bornNanos = System.nanoTime();
    private volatile boolean wrote; // since the last read
    private long calls; // calls that carried bytes; lost updates do no harm, here and below
    private long lookedNanos = bornNanos;
    private long usedNanos; // without the pauses

    CountedKernel(ConnectionChannel channel, EarlyConnection early) {
        this.channel = channel;
        this.early = early;
        this.kernel = channel.kernel();
    }

    private boolean stands() {
        return channel.carrier() == this;
    }

    /** Called without a lock after one was given back: the next carrier may wait for it. */
    private void left() {
        Carrier c = channel.carrier();
        if (c != this && c != null) {
            c.earlyLockGivenBack();
        }
    }

    private void consider() {
        long n = ++calls;
        boolean enough =
                channel.isBlocking()
                        ? enoughForThreads()
                        : n % LOOK_CALLS == 0 && enoughForSelectors();
        if (enough || early.listenerWentOn()) {
            early.goOnSoon();
        }
    }

    private boolean enoughForThreads() {
        boolean answered = turns >= ENOUGH_TURNS && ALL_TURNS.get() >= ENOUGH_ALL_TURNS;
        return (answered || sent.get() + received.get() >= ENOUGH_BYTES)
                && System.nanoTime() - bornNanos >= ENOUGH_NANOS;
    }

    /**
     * Whether a channel in a selector has carried enough. An accepted one needs less: its other end
     * may be a thread, whose connections move for less.
     */
    private boolean enoughForSelectors() {
        long nowNanos = System.nanoTime();
        long ageNanos = nowNanos - bornNanos;
        long bytes = sent.get() + received.get();
        boolean bulk = bytes / BULK_CALL_BYTES >= calls;
        if (early.listener != null) {
            return bulk && bytes >= ENOUGH_BYTES && ageNanos >= ENOUGH_NANOS;
        }
        usedNanos += Math.min(nowNanos - lookedNanos, SLOW_LOOK_NANOS);
        lookedNanos = nowNanos;
        if (ageNanos < SELECTOR_NANOS) {
            return false;
        }
        boolean quick = turns * QUICK_NANOS >= usedNanos;
        if (!bulk && !quick && usedNanos >= JUDGED_NANOS) {
            early.isNotWorthMoving();
        }
        return quick || (bulk && bytes >= SELECTOR_BYTES);
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        long n = read(dst, null, null, 0, 0, 0);
        return n == GONE ? channel.carrierOrKernel().read(dst) : (int) n;
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        long n = read(null, dsts, null, offset, length, 0);
        return n == GONE ? channel.carrierOrKernel().read(dsts, offset, length) : n;
    }

    @Override
    public int blockingRead(byte[] b, int off, int len, long nanos) throws IOException {
        long n = read(null, null, b, off, len, nanos);
        return n == GONE ? channel.carrierOrKernel().blockingRead(b, off, len, nanos) : (int) n;
    }

    /** Reads into one buffer, several, or an array. */
    private long read(
            ByteBuffer one, ByteBuffer[] several, byte[] b, int off, int len, long nanos)
            throws IOException {
        readLock.lock();
        try {
            if (!stands()) {
                return GONE;
            }
            long n;
            if (one != null) {
                n = kernel.read(one);
            } else if (several != null) {
                n = kernel.read(several, off, len);
            } else {
                n = kernel.blockingRead(b, off, len, nanos);
            }
            if (n < 0 && !stands()) {
                return GONE; // the switch may have ended the wait
            }
            came(n);
            return n;
        } catch (SocketException e) {
            if (stands()) {
                throw e;
            }
            channel.carrierOrKernel().goesOnAfter(e);
            return GONE;
        } finally {
            readLock.unlock();
            left();
        }
    }

    private void came(long n) {
        if (n <= 0) {
            return;
        }
        received.set(received.get() + n);
        if (wrote) {
            wrote = false;
            if (++turns % TELL_TURNS == 0) {
                long _ = ALL_TURNS.addAndGet(TELL_TURNS);
            }
        }
        consider();
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        long n = write(src, null, null, 0, 0, null, 0);
        return n == GONE ? channel.carrierOrKernel().write(src) : (int) n;
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        long n = write(null, srcs, null, offset, length, null, 0);
        return n == GONE ? channel.carrierOrKernel().write(srcs, offset, length) : n;
    }

    @Override
    public void blockingWrite(byte[] b, int off, int len) throws IOException {
        if (write(null, null, b, off, len, null, 0) == GONE) {
            channel.carrierOrKernel().blockingWrite(b, off, len);
        }
    }

    @Override
    public long send(FileChannel file, long position, int count) throws IOException {
        long n = write(null, null, null, 0, count, file, position);
        return n == GONE ? channel.carrierOrKernel().send(file, position, count) : n;
    }

    /** Writes from one buffer, several, a file, or an array. */
    private long write(
            ByteBuffer one,
            ByteBuffer[] several,
            byte[] b,
            int off,
            int len,
            FileChannel file,
            long position)
            throws IOException {
        writeLock.lock();
        try {
            if (!stands()) {
                return GONE;
            }
            long n;
            if (one != null) {
                n = kernel.write(one);
            } else if (several != null) {
                n = kernel.write(several, off, len);
            } else if (file != null) {
                n = kernel.send(file, position, len);
            } else {
                kernel.blockingWrite(b, off, len);
                n = len;
            }
            if (n > 0) {
                sent.set(sent.get() + n);
                wrote = true;
                consider();
            }
            return n;
        } catch (IOException | Error e) {
            partGone();
            throw e;
        } finally {
            writeLock.unlock();
            left();
        }
    }

    /** A part of a write that failed may have gone: no count is right from now on. */
    private void partGone() {
        early.stays();
        Carrier c = channel.carrier();
        if (c != this && c != null) {
            c.sentUncounted();
        }
    }

    @Override
    public int available() throws IOException {
        return kernel.available();
    }

    /** Keeps the connection on the kernel, before a call that the switch would not know of. */
    private Carrier staying() {
        early.stays();
        return channel.carrierOrKernel();
    }

    @Override
    public int sendUrgent(byte b) throws IOException {
        return staying().sendUrgent(b);
    }

    @Override
    public void shutdownInput() throws IOException {
        staying().shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        staying().shutdownOutput();
    }

    @Override
    public boolean isInputShut() {
        return kernel.isInputShut();
    }

    @Override
    public boolean isOutputShut() {
        return kernel.isOutputShut();
    }
}
