package io.sdp4j.stream;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.wire.SdpMachine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * A stream whose memory the peer can take away. Touching it then is an {@link InternalError} of the
 * JVM's, which means the end of this stream here, and nothing to the application but a reset.
 */
final class GuardedStream implements OffloadStream {
    private static final int BOTH = READ | WRITE;

    private final SdpStream stream;

    private GuardedStream(SdpStream stream) {
        this.stream = stream;
    }

    /** A new stream, guarded if need be. */
    static OffloadStream begin(
            SdpMachine machine,
            QueuePair qp,
            StreamContext context,
            Fabric fabric,
            InetSocketAddress local,
            InetSocketAddress remote) {
        boolean mayFault = qp.memoryMayFault();
        SdpStream stream = SdpStream.begin(machine, qp, context, fabric, local, remote);
        return mayFault ? new GuardedStream(stream) : stream;
    }

    private interface Moving {
        int move() throws IOException;
    }

    private interface Asking {
        int ask();
    }

    private int moving(Moving moving) throws IOException {
        try {
            int n = moving.move();
            settle();
            return n;
        } catch (InternalError e) {
            throw reset();
        }
    }

    private int asking(int ifGone, Asking asking) {
        try {
            int answer = asking.ask();
            settle();
            return answer;
        } catch (InternalError e) {
            cut();
            return ifGone;
        }
    }

    private void doing(Runnable task) {
        asking(
                0,
                () -> {
                    task.run();
                    return 0;
                });
    }

    /** The JVM may throw some time after the access: at the latest in a native call, as this is. */
    private void settle() {
        boolean unused = Thread.holdsLock(this);
        assert !unused;
    }

    private SocketException reset() {
        cut();
        return new SocketException("Connection reset");
    }

    private void cut() {
        stream.life().cut();
    }

    @Override
    public int tryRead(byte[] b, int off, int len) throws IOException {
        return moving(() -> stream.tryRead(b, off, len));
    }

    @Override
    public int tryRead(ByteBuffer dst) throws IOException {
        return moving(() -> stream.tryRead(dst));
    }

    @Override
    public int tryWrite(byte[] b, int off, int len) throws IOException {
        return moving(() -> stream.tryWrite(b, off, len));
    }

    @Override
    public int tryWrite(ByteBuffer src) throws IOException {
        return moving(() -> stream.tryWrite(src));
    }

    @Override
    public int tryWrite(ByteBuffer[] srcs, int from, int to) throws IOException {
        return moving(() -> stream.tryWrite(srcs, from, to));
    }

    @Override
    public boolean tryWriteWhole(byte[] b, int off, int len, BooleanSupplier busy) {
        return asking(0, () -> stream.tryWriteWhole(b, off, len, busy) ? 1 : 0) != 0;
    }

    @Override
    public boolean tryBegin(byte[] b) {
        return asking(0, () -> stream.tryBegin(b) ? 1 : 0) != 0;
    }

    @Override
    public boolean tryWriteUrgent(int value) throws IOException {
        return moving(() -> stream.tryWriteUrgent(value) ? 1 : 0) != 0;
    }

    @Override
    public void oobInline(boolean inline) {
        doing(() -> stream.oobInline(inline));
    }

    @Override
    public void readerBehind(boolean behind) {
        doing(() -> stream.readerBehind(behind));
    }

    @Override
    public boolean peerVanished() {
        return stream.peerVanished();
    }

    @Override
    public void keepAlive(boolean on) {
        doing(() -> stream.keepAlive(on));
    }

    @Override
    public int available() throws IOException {
        return moving(stream::available);
    }

    @Override
    public int ready() {
        return asking(BOTH, stream::ready);
    }

    @Override
    public int room() {
        return asking(0, stream::room);
    }

    @Override
    public void await(int ops, long nanos) {
        doing(() -> stream.await(ops, nanos));
    }

    @Override
    public void wake() {
        doing(stream::wake);
    }

    @Override
    public boolean arm(int ops, Runnable onReady) {
        return asking(0, () -> stream.arm(ops, onReady) ? 1 : 0) != 0;
    }

    @Override
    public boolean wantsLoan(int op, Loan loan) {
        return stream.wantsLoan(op, loan);
    }

    @Override
    public void lend(int op, Loan loan) {
        doing(() -> stream.lend(op, loan));
    }

    @Override
    public void reclaim(int op, boolean givenUp) {
        doing(() -> stream.reclaim(op, givenUp));
    }

    @Override
    public int notifyFd() {
        return stream.notifyFd();
    }

    @Override
    public void busyPoll(int ops, BooleanSupplier elsewhere) {
        doing(() -> stream.busyPoll(ops, elsewhere));
    }

    @Override
    public int holdNotify(int ops) {
        return asking(ops, () -> stream.holdNotify(ops));
    }

    @Override
    public int requestNotify(int ops) {
        return asking(ops, () -> stream.requestNotify(ops));
    }

    @Override
    public boolean migrate() throws IOException {
        return moving(() -> stream.migrate() ? 1 : 0) != 0;
    }

    @Override
    public void shutdownInput() {
        doing(stream::shutdownInput);
    }

    @Override
    public void shutdownOutput() {
        doing(stream::shutdownOutput);
    }

    @Override
    public boolean drained() {
        return asking(1, () -> stream.drained() ? 1 : 0) != 0;
    }

    /** Once more after it was cut: the first time may have ended half-way. */
    @Override
    public void close(boolean abortive) {
        try {
            stream.close(abortive);
            settle();
        } catch (InternalError e) {
            cut();
            if (!stream.life().released()) {
                doing(() -> stream.close(true));
            }
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return stream.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return stream.remoteAddress();
    }

    @Override
    public ConnectionInfo info() {
        return stream.info();
    }
}
