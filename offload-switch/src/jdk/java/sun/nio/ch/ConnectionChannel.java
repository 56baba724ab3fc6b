package sun.nio.ch;

import java.io.FileDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import jdk.internal.event.SocketReadEvent;
import jdk.internal.event.SocketWriteEvent;
import jdk.internal.misc.InnocuousThread;
import jdk.internal.vm.annotation.DontInline;

/**
 * The JDK's channel of a connection, whose bytes another carrier than the kernel may move. It is in
 * this package because the JDK's class can be extended only here.
 *
 * <p>Shape: {@code decider} decides how it gets its connection. Bytes go through {@code carrier};
 * while there is none, every call for data is the JDK's own. The number of the descriptor never
 * changes, whatever it stands for.
 */
public final class ConnectionChannel extends SocketChannelImpl {
    private static final AtomicReference<Runnable> FIRST_FILE = new AtomicReference<>();

    /** The start time of an operation that is not recorded. */
    private static final long OFF = Long.MIN_VALUE;

    private static boolean recordable = true; // a lost update does no harm

    private final Kernel kernel = new Kernel();
    private final ReentrantLock transfer = new ReentrantLock(); // of a file, not by the kernel
    private volatile ConnectionSwitch decider; // set before any other thread knows the channel
    private volatile Carrier carrier; // null = the kernel alone

    /** Holds a descriptor to which the kernel can send no file. */
    private static final class Unsendable {
        static final FileDescriptor FD = open();

        private static FileDescriptor open() {
            try {
                return IOUtil.newFD(EPoll.create());
            } catch (IOException e) {
                return new FileDescriptor(); // a transfer to it fails with an exception
            }
        }
    }

    /**
     * Makes a channel to connect, or for a connection that the kernel does not know.
     *
     * @param family null = the JDK's choice
     */
    public ConnectionChannel(SelectorProvider provider, ProtocolFamily family)
            throws IOException {
        super(provider, ListeningChannel.family(family));
    }

    /**
     * Makes a channel for a connection that the kernel has accepted, in place of the JDK's.
     *
     * @param family the family of the listener
     * @param accepted the JDK's channel, which must not be used afterwards
     */
    public ConnectionChannel(
            SelectorProvider provider, ProtocolFamily family, SocketChannel accepted)
            throws IOException {
        super(
                provider,
                family,
                ((SocketChannelImpl) accepted).getFD(),
                ((SocketChannelImpl) accepted).remoteAddress());
    }

    /** Sets the object that decides how the channel gets its connection. */
    public void decidedBy(ConnectionSwitch decides) {
        decider = decides;
    }

    /** Returns the object that decides how the channel gets its connection. */
    public ConnectionSwitch decider() {
        return decider;
    }

    /** Sets the carrier of the bytes; null = the kernel alone. */
    public void carriedBy(Carrier carries) {
        carrier = carries;
    }

    /** Returns the carrier of the bytes; null = the kernel alone. */
    Carrier carrier() {
        return carrier;
    }

    Carrier carrierOrKernel() {
        Carrier c = carrier;
        return c == null ? kernel : c;
    }

    // --- the JDK's own methods, for the carrier and the decider ---

    /** Returns the carrier that moves bytes as the JDK does, by TCP. */
    public Carrier kernel() {
        return kernel;
    }

    /**
     * A channel with the same descriptor, to give to a file channel. A file channel that is
     * interrupted closes the channel it writes to; a close of this one does nothing.
     */
    private static final class Plain extends SocketChannelImpl {
        Plain(SelectorProvider provider, FileDescriptor fd, SocketAddress remote)
                throws IOException {
            super(provider, ListeningChannel.family(null), fd, remote);
        }

        @Override
        protected void implCloseSelectableChannel() {}

        @Override
        public void kill() {}
    }

    /** The JDK's own calls. They are not inlined into callers that soon take another carrier. */
    private final class Kernel implements Carrier {
        private Plain plain; // for files; a lost update does no harm

        @Override
        @DontInline
        public int read(ByteBuffer dst) throws IOException {
            return ConnectionChannel.super.read(dst);
        }

        @Override
        @DontInline
        public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
            return ConnectionChannel.super.read(dsts, offset, length);
        }

        @Override
        @DontInline
        public int write(ByteBuffer src) throws IOException {
            return ConnectionChannel.super.write(src);
        }

        @Override
        @DontInline
        public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
            return ConnectionChannel.super.write(srcs, offset, length);
        }

        @Override
        @DontInline
        public int blockingRead(byte[] b, int off, int len, long nanos) throws IOException {
            return ConnectionChannel.super.blockingRead(b, off, len, nanos);
        }

        @Override
        @DontInline
        public void blockingWrite(byte[] b, int off, int len) throws IOException {
            ConnectionChannel.super.blockingWriteFully(b, off, len);
        }

        /**
         * Sends through {@link Plain}, which the file channel does not offer the bytes to first.
         * The thread is announced to this channel, so a close wakes it.
         */
        @Override
        public long send(FileChannel file, long position, int count) throws IOException {
            ConnectionChannel.super.beforeTransferTo();
            boolean completed = false;
            try {
                Plain to = plain;
                if (to == null || !to.isOpen()) {
                    to =
                            new Plain(
                                    provider(),
                                    ConnectionChannel.super.getFD(),
                                    ConnectionChannel.super.remoteAddress());
                    plain = to;
                }
                long sent = file.transferTo(position, count, to);
                completed = true;
                return sent;
            } finally {
                ConnectionChannel.super.afterTransferTo(completed);
            }
        }

        @Override
        public int available() throws IOException {
            return ConnectionChannel.super.available();
        }

        @Override
        public int sendUrgent(byte b) throws IOException {
            return ConnectionChannel.super.sendOutOfBandData(b);
        }

        @Override
        public void shutdownInput() throws IOException {
            SocketChannel _ = ConnectionChannel.super.shutdownInput();
        }

        @Override
        public void shutdownOutput() throws IOException {
            SocketChannel _ = ConnectionChannel.super.shutdownOutput();
        }

        @Override
        public boolean isInputShut() {
            return !ConnectionChannel.super.isInputOpen();
        }

        @Override
        public boolean isOutputShut() {
            return !ConnectionChannel.super.isOutputOpen();
        }
    }

    /** Gives the address that was asked for; where none was, the kernel's choice. */
    public InetSocketAddress bindKernel(SocketAddress local) throws IOException {
        SocketChannel _ = super.bind(local);
        return (InetSocketAddress) (local != null ? local : super.localAddress());
    }

    /** See {@link ConnectionSwitch#connect}. */
    public boolean connectKernel(SocketAddress remote, long nanos) throws IOException {
        if (nanos < 0) {
            return super.connect(remote);
        }
        super.blockingConnect(remote, nanos);
        return true;
    }

    public boolean finishConnectKernel() throws IOException {
        return super.finishConnect();
    }

    public boolean kernelConnected() {
        return super.isConnected();
    }

    public boolean kernelConnecting() {
        return super.isConnectionPending();
    }

    public SocketAddress kernelLocalAddress() {
        return super.localAddress();
    }

    public SocketAddress kernelRemoteAddress() {
        return super.remoteAddress();
    }

    public <T> void setKernelOption(SocketOption<T> name, T value) throws IOException {
        SocketChannel _ = super.setOption(name, value);
    }

    public <T> T kernelOption(SocketOption<T> name) throws IOException {
        return super.getOption(name);
    }

    /** Makes the close of the kernel's socket show the other end a reset. */
    public void resetKernelAtClose() throws IOException {
        Net.setSocketOption(super.getFD(), StandardSocketOptions.SO_LINGER, 0);
    }

    /**
     * Ends the kernel's input, and with it a read that waits. {@code shutdownInput} does the same,
     * but would also make a read that gets a reset from the kernel return -1.
     */
    public void endKernelInput() throws IOException {
        Net.shutdown(super.getFD(), Net.SHUT_RD);
    }

    /**
     * Ends the kernel's output, so that the other end sees the end of the data. Works on a closed
     * channel.
     */
    public void shutKernelOutputAtClose() throws IOException {
        Net.shutdown(super.getFD(), Net.SHUT_WR);
    }

    public void blockKernel(boolean block) throws IOException {
        super.implConfigureBlocking(block);
    }

    public int kernelInterest(int ops) {
        return super.translateInterestOps(ops);
    }

    public boolean kernelReady(int ops, int initialOps, SelectionKeyImpl key) {
        return super.translateReadyOps(ops, initialOps, key);
    }

    /**
     * Announces an operation that may block; if the thread was interrupted before, the channel is
     * closed. Does nothing for an operation that does not block.
     */
    public void enter(boolean blocking) throws ClosedChannelException {
        if (blocking) {
            begin();
            if (!isOpen()) {
                end(false);
                throw new ClosedChannelException();
            }
        }
    }

    /** Ends what {@link #enter} began. */
    public void leave(boolean blocking, boolean completed) throws AsynchronousCloseException {
        if (blocking) {
            end(completed);
        }
    }

    /**
     * Closes the channel if this thread is interrupted and the channel blocks, as the JDK does
     * before a call throws for another reason.
     */
    public void closeIfInterrupted() throws IOException {
        boolean blocking = isBlocking();
        enter(blocking);
        leave(blocking, false);
    }

    public void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    // --- data ---

    @Override
    public int read(ByteBuffer dst) throws IOException {
        Carrier c = carrier;
        return c == null ? super.read(dst) : c.read(dst);
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Carrier c = carrier;
        return c == null ? super.read(dsts, offset, length) : c.read(dsts, offset, length);
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        Carrier c = carrier;
        return c == null ? super.write(src) : c.write(src);
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        Carrier c = carrier;
        return c == null ? super.write(srcs, offset, length) : c.write(srcs, offset, length);
    }

    @Override
    int blockingRead(byte[] b, int off, int len, long nanos) throws IOException {
        Carrier c = carrier;
        return c == null
                ? super.blockingRead(b, off, len, nanos)
                : c.blockingRead(b, off, len, nanos);
    }

    @Override
    void blockingWriteFully(byte[] b, int off, int len) throws IOException {
        Carrier c = carrier;
        if (c == null) {
            super.blockingWriteFully(b, off, len);
        } else {
            c.blockingWrite(b, off, len);
        }
    }

    @Override
    int available() throws IOException {
        return carrierOrKernel().available();
    }

    @Override
    int sendOutOfBandData(byte b) throws IOException {
        return carrierOrKernel().sendUrgent(b);
    }

    @Override
    public SocketChannel shutdownInput() throws IOException {
        carrierOrKernel().shutdownInput();
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        carrierOrKernel().shutdownOutput();
        return this;
    }

    @Override
    boolean isInputOpen() {
        return !carrierOrKernel().isInputShut();
    }

    @Override
    boolean isOutputOpen() {
        return !carrierOrKernel().isOutputShut();
    }

    // --- the flight recorder's events for bytes that the JDK does not carry (behaviour 90) ---

    /** Returns the start time of a read or a write, for {@link #record}. */
    public static long start(boolean read) {
        try {
            if (recordable && (read ? SocketReadEvent.enabled() : SocketWriteEvent.enabled())) {
                return read ? SocketReadEvent.timestamp() : SocketWriteEvent.timestamp();
            }
        } catch (LinkageError e) {
            recordable = false; // another JDK: nothing is recorded
        }
        return OFF;
    }

    /**
     * Records a read or a write that is over.
     *
     * @param bytes -1 at the end of the stream
     */
    public void record(boolean read, long start, long bytes) {
        if (start != OFF) {
            try {
                if (read) {
                    SocketReadEvent.offer(start, bytes, remoteAddress(), 0);
                } else {
                    SocketWriteEvent.offer(start, bytes, remoteAddress());
                }
            } catch (LinkageError e) {
                recordable = false;
            }
        }
    }

    // --- files that the kernel would send ---

    /** Called by the JDK's file channels, once they were changed to know this class. */
    long send(FileChannel file, long position, int count) throws IOException {
        Carrier c = carrier;
        return c == null ? -1 : c.send(file, position, count);
    }

    /**
     * Sets a task that is run once in this JVM, on a thread of its own, when a file first goes to a
     * channel that the kernel does not carry alone.
     */
    public static void atFirstFile(Runnable task) {
        FIRST_FILE.set(task);
    }

    /**
     * Prepares the transfer of a file. The kernel sends the file if it alone carries the
     * connection. Otherwise {@link #getFD} returns a descriptor that takes no file, so the JDK maps
     * or reads the file and writes the bytes.
     */
    @Override
    void beforeTransferTo() throws ClosedChannelException {
        if (carrier == null) {
            super.beforeTransferTo();
        } else {
            Runnable task = FIRST_FILE.getAndSet(null);
            if (task != null) {
                try {
                    // as in EarlyConnection
                    ThreadGroup jdk = InnocuousThread.newSystemThread(null).getThreadGroup();
                    Thread thread = new Thread(jdk, task, "sdp4j-files", 0, false);
                    thread.setDaemon(true);
                    thread.setContextClassLoader(null);
                    thread.start();
                } catch (OutOfMemoryError e) { // no thread: the next file tries again
                    FIRST_FILE.set(task);
                }
            }
            transfer.lock();
        }
    }

    @Override
    void afterTransferTo(boolean completed) throws AsynchronousCloseException {
        if (transfer.isHeldByCurrentThread()) {
            transfer.unlock();
        } else {
            super.afterTransferTo(completed);
        }
    }

    @Override
    public FileDescriptor getFD() {
        if (transfer.isHeldByCurrentThread()) {
            return Unsendable.FD;
        }
        decider.checkDescriptor();
        return super.getFD();
    }

    @Override
    public int getFDVal() {
        decider.checkDescriptor();
        return super.getFDVal();
    }

    /** Returns the descriptor, even if it does not stand for the connection. */
    public FileDescriptor descriptor() {
        return super.getFD();
    }

    // --- the connection ---

    @Override
    public SocketChannel bind(SocketAddress local) throws IOException {
        decider.bind(local);
        return this;
    }

    @Override
    public boolean connect(SocketAddress remote) throws IOException {
        return decider.connect(remote, -1);
    }

    @Override
    void blockingConnect(SocketAddress remote, long nanos) throws IOException {
        boolean _ = decider.connect(remote, nanos);
    }

    @Override
    public boolean finishConnect() throws IOException {
        return decider.finishConnect();
    }

    @Override
    public boolean isConnected() {
        return decider.isConnected();
    }

    @Override
    public boolean isConnectionPending() {
        return decider.isConnectionPending();
    }

    @Override
    SocketAddress localAddress() {
        SocketAddress known = decider.localAddress();
        return known != null ? known : super.localAddress();
    }

    @Override
    SocketAddress remoteAddress() {
        SocketAddress known = decider.remoteAddress();
        return known != null ? known : super.remoteAddress();
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        ensureOpen();
        return localAddress();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        ensureOpen();
        return remoteAddress();
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        decider.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return decider.getOption(name);
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        decider.configureBlocking(block);
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        try {
            decider.closing();
        } finally {
            try {
                super.implCloseSelectableChannel();
            } finally {
                decider.closed();
            }
        }
    }

    @Override
    public void kill() {
        super.kill();
        if (!isOpen()) {
            decider.killed();
        }
    }

    @Override
    public int translateInterestOps(int ops) {
        return decider.interest(ops);
    }

    @Override
    public boolean translateReadyOps(int ops, int initialOps, SelectionKeyImpl key) {
        return decider.ready(ops, initialOps, key);
    }

    /** Returns the text of the JDK's own method, for any carrier. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(SocketChannel.class.getName()).append('[');
        if (!isOpen()) {
            return text.append("closed]").toString();
        }
        if (isConnected()) {
            text.append("connected")
                    .append(isInputOpen() ? "" : " ishut")
                    .append(isOutputOpen() ? "" : " oshut");
        } else {
            text.append(isConnectionPending() ? "connection-pending" : "unconnected");
        }
        SocketAddress here = localAddress();
        SocketAddress there = remoteAddress();
        text.append(here == null ? "" : " local=" + here);
        return text.append(there == null ? "" : " remote=" + there).append(']').toString();
    }
}
