package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.contract.OneStream;
import io.sdp4j.offload.contract.Streams;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A channel that moves onto a stream step by step, as the test says. The stream never notifies by
 * itself, takes no byte, and has those that the test says.
 */
abstract class MovedByHand {
    private final OffloadStream stream = Streams.of(this::answer);
    private volatile InetSocketAddress local;
    private volatile InetSocketAddress remote;
    private volatile int unread; // bytes of the peer's limit
    private volatile long limit;
    volatile int ready; // but for those
    volatile int notifyFd = -1;
    volatile int payload; // bytes for a reader
    volatile Runnable whenAsked = () -> {}; // how many are available: after the look
    volatile boolean closed;
    final AtomicInteger closes = new AtomicInteger();
    volatile String unable; // to answer this method
    volatile boolean vanished; // the peer's process, and all was read
    volatile String withoutMemory; // this method finds no memory
    volatile boolean died; // the peer's process, with input of the stream unread
    volatile long waitedNanos; // in the stream; each wait ends it
    volatile Runnable toRead; // armed
    volatile Runnable toWrite; // armed

    OffloadSwitch owner;
    private ServerSocketChannel listener;
    SocketChannel accepted;
    SocketChannel channel;
    Selector selector;

    private Object answer(String method, Object[] args) throws IOException {
        if (method.equals(unable)) {
            throw new IllegalStateException("test");
        }
        if (method.equals(withoutMemory)) {
            throw new OutOfMemoryError("test");
        }
        return switch (method) {
            case "localAddress" -> local;
            case "remoteAddress" -> remote;
            case "tryBegin", "drained" -> true;
            case "available" -> {
                int n = unread > 0 ? unread : payload;
                whenAsked.run();
                yield n;
            }
            case "peerVanished" -> died || vanished;
            case "tryRead" -> {
                if (died) {
                    throw new SocketException("Connection reset");
                }
                if (args[0] instanceof ByteBuffer into) {
                    int has = payload;
                    int n = Math.min(has, into.remaining());
                    if (n > 0) {
                        payload = has - n;
                        into.position(into.position() + n);
                        yield n;
                    }
                    yield (ready & OffloadStream.READ) != 0 ? -1 : 0;
                }
                int n = unread;
                unread = 0;
                ByteBuffer.wrap((byte[]) args[0]).putLong(limit);
                yield n;
            }
            case "ready" -> ready();
            case "requestNotify" -> {
                int ops = (int) args[0];
                yield ops == 0 || (ready() & ops) != 0 ? ready() & ops : -1; // arm can
            }
            case "arm" -> arm((int) args[0], (Runnable) args[1]);
            case "shutdownInput" -> {
                ends(OffloadStream.READ);
                yield null;
            }
            case "shutdownOutput" -> {
                ends(OffloadStream.WRITE);
                yield null;
            }
            case "close" -> {
                closes.incrementAndGet();
                closed = true;
                yield null;
            }
            case "notifyFd" -> notifyFd;
            case "await" -> {
                waitedNanos = (long) args[1];
                ends((int) args[0]);
                yield null;
            }
            default -> null;
        };
    }

    private int ready() {
        return unread > 0 || payload > 0 ? ready | OffloadStream.READ : ready;
    }

    private boolean arm(int ops, Runnable onReady) {
        if ((ready() & ops) != 0) {
            return false;
        }
        toRead = (ops & OffloadStream.READ) != 0 ? onReady : toRead;
        toWrite = (ops & OffloadStream.WRITE) != 0 ? onReady : toWrite;
        return true;
    }

    /** The stream's input or output is shut. */
    void ends(int op) {
        ready |= op;
    }

    @BeforeEach
    void connect() throws IOException {
        owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new MovingProvider(new OneStream(stream))),
                        SwitchSettings.defaults().withUpgrade(UpgradePolicy.afterBytes(1)));
        listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel = SwitchChannels.provider(owner).openSocketChannel();
        channel.connect(listener.getLocalAddress());
        accepted = listener.accept();
        local = (InetSocketAddress) channel.getLocalAddress();
        remote = (InetSocketAddress) channel.getRemoteAddress();
        channel.configureBlocking(false);
        selector = Selector.open();
    }

    @AfterEach
    void close() throws IOException {
        selector.close();
        channel.close();
        accepted.close();
        listener.close();
    }

    /** The output moves; returns once the peer's limit is waited for. */
    void moveOutput() throws IOException {
        channel.write(ByteBuffer.allocate(1));
        await().until(() -> toRead != null);
        assertTrue(SwitchedConnection.of(channel).moving.handover.outMoved());
    }

    /** The peer tells, on a thread of the provider, how many bytes it has sent by TCP. */
    void tellLimit(long bytes) throws InterruptedException {
        tellLimitUnseen(bytes);
        Thread.ofPlatform().start(toRead).join();
    }

    /** The same, but no thread of the provider runs. */
    void tellLimitUnseen(long bytes) {
        limit = bytes;
        unread = Long.BYTES;
    }
}
