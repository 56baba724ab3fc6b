package io.sdp4j.offload.net;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.AcceptedTable;
import io.sdp4j.offload.Began;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.StreamHandle;
import io.sdp4j.offload.Upgrade;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.jdk.JdkBridge;
import io.sdp4j.offload.jdk.KernelSocket;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketOptions;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A blocking connection that runs on the kernel's socket and may move, see {@link Upgrade}.
 *
 * <p>Shape: until a direction has moved, its calls go to the kernel's socket, under the direction's
 * lock and with a count of the bytes; afterwards they go to {@code moved}, which shares the locks.
 * When all bytes of TCP have come, a thread that waits in the kernel for more is woken by a
 * shutdown of the kernel's input, which the peer does not see.
 */
final class MovingConnection extends Upgrade implements Duplex {
    private final KernelSocket kernel;
    private final InputStream in;
    private final OutputStream out;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private volatile int timeoutMillis;
    private volatile boolean virtual; // used by a virtual thread
    private volatile boolean nonBlocking; // see OffloadedConnection, which takes it over
    private boolean ended; // readLock: a read was told TCP's end, as later ones are (behaviour 14)
    private volatile OffloadedConnection moved; // set once

    MovingConnection(
            OffloadSwitch owner,
            KernelSocket kernel,
            Decision decision,
            AcceptedTable table,
            ConnectionInfo kernelInfo,
            int timeoutMillis,
            boolean nonBlocking,
            Began began)
            throws IOException {
        super(owner, decision, table, kernelInfo, began);
        this.local = kernel.localAddress();
        // not as the application gave it, which may be the wildcard
        this.remote = kernel.remoteAddress();
        this.kernel = kernel;
        this.in = kernel.inputStream();
        this.out = kernel.outputStream();
        this.timeoutMillis = timeoutMillis;
        this.nonBlocking = nonBlocking;
    }

    @Override
    protected InetSocketAddress local() {
        return local;
    }

    @Override
    protected InetSocketAddress remote() {
        return remote;
    }

    @Override
    protected UpgradePolicy.Waits waits() {
        return virtual ? UpgradePolicy.Waits.VIRTUAL_THREAD : UpgradePolicy.Waits.THREAD;
    }

    @Override
    protected FileDescriptor fileDescriptor() {
        return kernel.fileDescriptor();
    }

    @Override
    protected StreamHandle take(OffloadStream stream) throws IOException {
        assert Thread.holdsLock(this);
        OffloadedConnection taken =
                new OffloadedConnection(
                        stream, owner.counters(), timeoutMillis, nonBlocking, readLock, writeLock);
        moved = taken; // first: from here on the handle closes the stream
        if (Boolean.TRUE.equals(kernel.option(SocketOptions.SO_OOBINLINE))) {
            taken.oobInline(true);
        }
        if (Boolean.TRUE.equals(kernel.option(SocketOptions.SO_KEEPALIVE))) {
            taken.keepAlive(true);
        }
        return taken;
    }

    @Override
    protected StreamHandle taken() {
        return moved;
    }

    /** Wakes a reader that waits in the kernel although all bytes of TCP have come. */
    @Override
    protected void onLimitKnown() {
        if (handover.finished()) {
            try {
                synchronized (this) { // excludes a close, which may hold the kernel's lock for long
                    if (!isClosed()) {
                        kernel.shutdownInput();
                    }
                }
            } catch (IOException e) {
                // the socket is broken: the reader is told so
            }
        }
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
        int timeout = timeoutMillis; // read once: a later change does not apply to this call
        int left = timeout;
        if (!handover.inMoved()) {
            if (staysUnseen()) { // the kernel knows the time-out, and remembers an end or a reset
                return kernel.read(in, b, off, len);
            }
            Objects.checkFromIndexSize(off, len, b.length);
            noteUse(timeout > 0);
            if (len == 0) {
                return in.read(b, off, 0);
            }
            long startNanos = timeout > 0 ? System.nanoTime() : 0;
            int n = readKernel(b, off, len, timeout);
            if (n != 0) {
                return n;
            }
            if (timeout > 0) {
                long nanos = System.nanoTime() - startNanos;
                left = (int) Math.max(1, timeout - TimeUnit.NANOSECONDS.toMillis(nanos));
            }
        }
        int n = readMoved(b, off, len, left);
        if (n < 0 && !inputShut && resetOfTcp()) {
            throw new SocketException("Connection reset");
        }
        return n;
    }

    private int readMoved(byte[] b, int off, int len, int timeout) throws IOException {
        try {
            return moved.read(b, off, len, timeout);
        } catch (SocketException e) {
            if (reset.tellsReader(e)) {
                throw e;
            }
            return -1;
        }
    }

    /**
     * Returns whether this read, which has met the stream's end, reports a reset of TCP: the peer's
     * process has ended and left bytes of TCP unread.
     */
    private boolean resetOfTcp() throws IOException {
        if (reset.readerKnows()) {
            if (isClosed()) { // as the JDK, which asks this first
                throw new SocketException("Socket closed");
            }
            return true;
        }
        FileDescriptor fd = kernel.fileDescriptor();
        if (moved.peerVanished()) {
            JdkBridge.awaitEnd(fd);
        }
        synchronized (this) { // as in close(): a closed descriptor's number may be another socket's
            return !isClosed()
                    && (reset.withheld() || JdkBridge.takeReset(fd))
                    && reset.tellsReader();
        }
    }

    private void noteUse(boolean timed) {
        if (!virtual && Thread.currentThread().isVirtual()) {
            virtual = true;
        }
        if (!nonBlocking && (timed || virtual)) {
            nonBlocking = true;
        }
    }

    /** Reads by TCP, as {@code read}; 0 = the input has moved. */
    private int readKernel(byte[] b, int off, int len, int timeout) throws IOException {
        if (timeout == 0) {
            readLock.lock();
        } else if (!readLock.tryLock()) {
            OffloadedConnection.lockWithin(readLock, TimeUnit.MILLISECONDS.toNanos(timeout));
        }
        try {
            while (true) {
                int room = handover.room(len);
                if (room == 0) {
                    return 0;
                }
                int n = readOnce(b, off, room);
                if (n > 0) {
                    received(n);
                    return n;
                }
                if (inputShut) {
                    return -1;
                }
                if (!goesOn()) {
                    if (!ended && isClosed()) { // goesOn() is false because of the close
                        throw new SocketException("Socket closed");
                    }
                    if (!ended && leftUnread() && reset.tellsReader()) {
                        throw new SocketException("Connection reset");
                    }
                    ended = true;
                    return -1;
                }
            }
        } finally {
            readLock.unlock();
            gaveLockBack();
        }
    }

    /**
     * Called when a read that began before this object existed got {@code e} from the kernel; the
     * read goes on here.
     */
    void earlyReadFailed(IOException e) {
        reset.withhold(e);
    }

    /** Notes that a read was told the end before this object existed. */
    void endTold() {
        ended = true;
    }

    /** Reads once by TCP, as {@code read}; 0 = TCP was cut, but the stream goes on. */
    private int readOnce(byte[] b, int off, int len) throws IOException {
        try {
            return kernel.read(in, b, off, len);
        } catch (SocketException e) {
            if (inputShut || !goesOn()) {
                if (reset.tellsReader(e)) {
                    throw e;
                }
                return -1;
            }
            reset.withhold(e);
            return 0;
        }
    }

    @Override
    protected void endKernelOutput() throws IOException {
        kernel.shutdownOutput();
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        if (len == 0) {
            return;
        }
        if (!handover.outMoved()) {
            if (staysUnseen()) {
                kernel.write(out, b, off, len);
                return;
            }
            noteUse(false);
            writeLock.lock();
            try {
                if (!moveOut()) {
                    writeKernel(b, off, len);
                    return;
                }
            } catch (SocketException e) {
                throw told(e);
            } finally {
                writeLock.unlock();
                wrote();
            }
        }
        if (reset.known() && !moved.closing()) {
            throw new SocketException("Broken pipe");
        }
        try {
            moved.write(b, off, len);
        } catch (SocketException e) {
            throw told(e);
        }
    }

    private void writeKernel(byte[] b, int off, int len) throws IOException {
        boolean whole = false;
        try {
            kernel.write(out, b, off, len);
            whole = true;
        } finally {
            if (!whole) {
                sentUncounted();
            }
        }
        sent(len);
    }

    /** Returns the exception that a failed write has to throw. */
    private SocketException told(SocketException e) {
        return reset.tellsWriter(e) ? e : new SocketException("Broken pipe", e);
    }

    @Override
    public InputStream inputStream() {
        list();
        return Duplex.super.inputStream();
    }

    @Override
    public OutputStream outputStream() {
        list();
        return Duplex.super.outputStream();
    }

    @Override
    public int available() throws IOException {
        if (handover.inMoved()) {
            return moved.available();
        }
        int n = kernel.available();
        OffloadedConnection stream = moved;
        return stream != null && handover.left() == n && !inputShut ? n + stream.available() : n;
    }

    @Override
    public void sendUrgent(int value) throws IOException {
        writeLock.lock();
        try {
            if (!urgentByStream(false)) {
                kernel.sendUrgentData(value);
                return;
            }
        } finally {
            writeLock.unlock();
            wrote();
        }
        moved.sendUrgent(value);
    }

    @Override
    public void shutdownInput() throws IOException {
        inputShut = true;
        if (moved != null && !moved.shutInput() && handover.inMoved()) {
            throw new SocketException("Socket closed");
        }
        if (!handover.inMoved()) {
            kernel.shutdownInput();
        }
    }

    /** Ends the output of both TCP and the stream, as the peer may wait for the end of either. */
    @Override
    public void shutdownOutput() throws IOException {
        outputShut = true;
        endOut();
        if (moved != null && !moved.shutOutput() && handover.outMoved()) {
            throw new SocketException("Socket closed");
        }
        try {
            kernel.shutdownOutput();
        } catch (IOException e) {
            if (!handover.outMoved()) {
                throw e;
            }
        }
    }

    // Options: under the monitor of this, so that a stream that is being taken does not miss one.

    @Override
    public synchronized void timeoutMillis(int millis) throws SocketException {
        timeoutMillis = millis;
        kernel.setOption(SocketOptions.SO_TIMEOUT, millis);
        if (moved != null) {
            moved.timeoutMillis(millis);
        }
    }

    @Override
    public synchronized void oobInline(boolean inline) {
        if (moved != null) {
            moved.oobInline(inline);
        }
    }

    @Override
    public synchronized void keepAlive(boolean on) {
        if (moved != null) {
            moved.keepAlive(on);
        }
    }

    @Override
    public boolean migrate() throws IOException {
        return moved != null && moved.migrate();
    }

    @Override
    public void close(int lingerSeconds) throws IOException {
        close(lingerSeconds == 0);
        if (moved != null) {
            if (resetsByKernel()) {
                kernel.setOption(SocketOptions.SO_LINGER, 0);
            }
            moved.close(lingerSeconds);
        }
        if (lingerSeconds == 0) {
            resetTcp(kernel.fileDescriptor());
        }
    }
}
